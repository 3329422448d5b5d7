"""Does a good provider pass in the sandbox, and does none of its credentials come out in any form?"""

import base64
import json
from urllib.parse import quote_plus

import pytest

from tests.verification.testruns.provider_lifecycle.world import (
    CANARY,
    READABLE,
    given,
    needs_sandbox,
    needs_terraform,
    outcomes,
    played,
    sentence,
)
from verification.testruns.kinds.provider_lifecycle import report, worker
from verification.testruns.kinds.provider_lifecycle.records import Seen, seen_of
from verification.testruns.kinds.provider_lifecycle.redaction import STRUCK, Secrets, masked

pytestmark = pytest.mark.xdist_group("lifecycle")


@pytest.fixture(scope="module")
def good() -> Seen:
    told: list[str] = []
    seen = worker.sandboxed(given(), lambda seen: told.append(seen.ran[-1].act), READABLE)
    assert told == [ran.act for ran in seen.ran]
    return seen


@needs_terraform
@needs_sandbox
def test_good_provider_with_nested_blocks_passes_every_rule_in_the_sandbox(good: Seen) -> None:
    assert set(outcomes(good).values()) == {"pass"}
    assert report.exit_code(good) == 0
    assert sentence(good, "refused") == (
        'It is refused: Missing required argument: The argument "address" is required, but no definition was found.'
    )
    assert sentence(good, "change.plan") == "It changes example_server.my-server (address) in place, and nothing else."


@needs_terraform
@needs_sandbox
def test_what_was_seen_survives_json_and_holds_no_credential(good: Seen) -> None:
    assert seen_of(json.loads(json.dumps(good.as_dict()))) == good
    assert CANARY not in report.as_json(good) + report.as_text(good)
    assert "This binary is a plugin." in good.ran[0].text


@needs_terraform
def test_printed_credential_is_struck_out_and_told() -> None:
    seen = played("leaks", ("init", "plan"))
    kept = report.as_json(seen)
    assert outcomes(seen)["secrets.output"] == "fail"
    assert STRUCK in kept
    assert not [form for form in (CANARY, *CANARY.split()) if form in kept]


@pytest.mark.parametrize("around", ["", "x", "xy", "user:"])
def test_credential_is_struck_out_of_every_encoding(around: str) -> None:
    secrets, inner = Secrets({"TOKEN": CANARY}), f"{around}{CANARY}{around}".encode()
    urlsafe, plain = base64.urlsafe_b64encode(inner).decode(), base64.b64encode(inner).decode()
    for text in (CANARY, quote_plus(CANARY), json.dumps(CANARY), CANARY.encode().hex(), plain, urlsafe):
        struck = secrets.struck(f"before {text} after")
        assert STRUCK in struck
        assert len(struck) <= len("before  after") + len(STRUCK) + 2 * len(around) + 8
        assert secrets.seen_in(text) == ("TOKEN",)


def test_setting_is_no_credential_that_comes_out() -> None:
    secrets = Secrets({"REGION": "eu-west-1", "PIN": "123"})
    assert secrets.seen_in("eu-west-1") == ()
    assert secrets.struck("eu-west-1 123") == f"{STRUCK} 123"


def test_what_no_database_keeps_is_taken_out() -> None:
    assert Secrets({}).cleared({"a\x00": ["b\ud800"]}) == {"a": ["b?"]}


def test_what_terraform_marks_is_masked() -> None:
    value = {"a": {"b": "x", "c": ["y", "z"]}, "d": 1, "e": None}
    assert masked(value, {"a": {"b": True, "c": [False, True]}, "d": True, "e": True}) == {
        "a": {"b": "(sensitive value)", "c": ["y", "(sensitive value)"]}, "d": "(sensitive value)", "e": None,
    }  # fmt: skip
