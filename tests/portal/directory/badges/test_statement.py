"""Tests of forged, altered, and expired statements, verified by the portal, by another library, and by OpenSSL."""

import base64
import json
import re
import shutil
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import jwt
import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.test import Client

from integrations.submissions.models import Integration
from integrations.submissions.services.transitions import perform_transition
from portal.directory.badges import embed_codes, signing_keys, statements
from portal.directory.badges.statements import (
    StatementVerdict,
    build_claims,
    encode_canonical_json,
    serialize_compact,
    sign_claims,
    verify_statement,
)
from tests.portal.directory.badges.sample_status import SINCE as NOW, build_status

PORTAL = "https://portal.example"
OLD, NEW, OTHER = (signing_keys.derive_signing_key(secret) for secret in ("old", "new", "other"))
KEY_SET = signing_keys.build_key_set(["new", "old"])
KEYS = signing_keys.parse_public_keys(KEY_SET)
CLAIMS = build_claims(build_status(), PORTAL, NOW)
GENUINE = sign_claims(CLAIMS, NEW)
DOCS = Path(__file__).parents[4] / "docs" / "reference" / "badges.md"


def encode_value(value: Any) -> str:
    return signing_keys.encode_base64url(value if isinstance(value, bytes) else json.dumps(value).encode())


def build_altered_statement(**claims: Any) -> dict[str, str]:
    return GENUINE | {"payload": signing_keys.encode_base64url(encode_canonical_json(CLAIMS | claims))}


def sign_with_header(**head: Any) -> str:
    """Return a statement with a custom header, signed with the genuine key if possible."""
    header = {"alg": "EdDSA", "kid": KEY_SET["keys"][0]["kid"], "typ": statements.STATEMENT_TYPE}
    encoded_header = encode_value(header | head)
    signature = NEW.sign(f"{encoded_header}.{GENUINE['payload']}".encode())
    return f"{encoded_header}.{GENUINE['payload']}.{signing_keys.encode_base64url(signature)}"


def get_verdict(text: Any, *, at: datetime = NOW, issuer: str | None = PORTAL) -> StatementVerdict:
    text = text if isinstance(text, str) else json.dumps(text)
    return verify_statement(text, KEYS, issuer, at).verdict


def test_both_forms_are_genuine_for_two_hours() -> None:
    for text in (json.dumps(GENUINE), json.dumps(GENUINE, indent=4), f"\n{serialize_compact(GENUINE)}\n"):
        assert get_verdict(text) == StatementVerdict.GENUINE
        assert get_verdict(text, at=NOW + timedelta(hours=2, seconds=-1)) == StatementVerdict.GENUINE
        assert get_verdict(text, at=NOW + timedelta(hours=2)) == StatementVerdict.EXPIRED
        assert get_verdict(text, at=NOW - timedelta(minutes=6)) == StatementVerdict.EARLY


def test_statements_of_one_minute_are_the_same_octets() -> None:
    later = build_claims(build_status(), PORTAL, NOW + timedelta(seconds=59))
    assert encode_canonical_json(sign_claims(later, NEW)) == encode_canonical_json(GENUINE)
    assert encode_canonical_json(
        sign_claims(build_claims(build_status(), PORTAL, NOW + timedelta(seconds=60)), NEW)
    ) != encode_canonical_json(GENUINE)


def test_octets_are_compact_json_with_sorted_keys() -> None:
    assert encode_canonical_json({"b": "é", "a": 1}) == '{"a":1,"b":"é"}'.encode()
    assert signing_keys.decode_base64url(GENUINE["payload"]) == encode_canonical_json(CLAIMS)


def test_older_key_verifies_until_it_is_removed() -> None:
    old = json.dumps(sign_claims(CLAIMS, OLD))
    assert get_verdict(old) == StatementVerdict.GENUINE
    assert (
        verify_statement(old, signing_keys.parse_public_keys(signing_keys.build_key_set(["new"])), PORTAL, NOW).verdict
        == StatementVerdict.FORGED
    )


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        (build_altered_statement(tier="partner-premier"), StatementVerdict.ALTERED),
        (build_altered_statement(exp=CLAIMS["exp"] + 1), StatementVerdict.ALTERED),
        (build_altered_statement(integration="Other"), StatementVerdict.ALTERED),
        (GENUINE | {"signature": sign_claims(CLAIMS | {"tier": ""}, NEW)["signature"]}, StatementVerdict.ALTERED),
        (GENUINE | {"signature": ""}, StatementVerdict.ALTERED),
        (GENUINE | {"signature": signing_keys.encode_base64url(bytes(64))}, StatementVerdict.ALTERED),
        (GENUINE | {"protected": sign_claims(CLAIMS, OLD)["protected"]}, StatementVerdict.ALTERED),
        (sign_claims(CLAIMS, OTHER), StatementVerdict.FORGED),
        (sign_claims(CLAIMS | {"iss": "https://other.example"}, OTHER), StatementVerdict.FOREIGN),
        (sign_claims(CLAIMS | {"iss": f"{PORTAL}/"}, OTHER), StatementVerdict.FOREIGN),
        (sign_with_header(kid=None), StatementVerdict.FORGED),
        (sign_with_header(alg="none"), StatementVerdict.UNREADABLE),
        (sign_with_header(alg="HS256"), StatementVerdict.UNREADABLE),
        (sign_with_header(typ="JWT"), StatementVerdict.UNREADABLE),
        (sign_claims(CLAIMS | {"exp": "tomorrow"}, NEW), StatementVerdict.UNREADABLE),
        (sign_claims(CLAIMS | {"exp": 10**30}, NEW), StatementVerdict.UNREADABLE),
        (sign_claims(CLAIMS | {"iat": True}, NEW), StatementVerdict.UNREADABLE),
        (GENUINE | {"signature": GENUINE["signature"] + "="}, StatementVerdict.UNREADABLE),
        (GENUINE | {"payload": GENUINE["payload"] + "\u0000"}, StatementVerdict.UNREADABLE),
        (GENUINE | {"payload": 7}, StatementVerdict.UNREADABLE),
        (GENUINE | {"payload": signing_keys.encode_base64url(b"[1]")}, StatementVerdict.UNREADABLE),
        (GENUINE | {"payload": signing_keys.encode_base64url(b"[" * 3000)}, StatementVerdict.UNREADABLE),
        (GENUINE | {"payload": signing_keys.encode_base64url(b"\xff")}, StatementVerdict.UNREADABLE),
        ("", StatementVerdict.UNREADABLE),
        ("a.b", StatementVerdict.UNREADABLE),
        ("a.b.c.d", StatementVerdict.UNREADABLE),
        ("{", StatementVerdict.UNREADABLE),
        ("{}", StatementVerdict.UNREADABLE),
        ("x" * 100_000, StatementVerdict.UNREADABLE),
        ("✓ verified", StatementVerdict.UNREADABLE),
    ],
    ids=range(30),
)
def test_altered_statement_is_not_genuine(text: Any, verdict: StatementVerdict) -> None:
    assert get_verdict(text) == verdict


def test_any_changed_character_is_detected() -> None:
    word = serialize_compact(GENUINE)
    for place, char in enumerate(word):
        other = word[:place] + ("A" if char != "A" else "B") + word[place + 1 :]
        assert get_verdict(other) not in (StatementVerdict.GENUINE, StatementVerdict.EXPIRED, StatementVerdict.EARLY), (
            place
        )


def test_another_library_verifies_the_statement() -> None:
    key = jwt.PyJWK(KEY_SET["keys"][0])
    at = {"verify_exp": False, "verify_iat": False}
    assert jwt.decode(serialize_compact(GENUINE), key=key, algorithms=["EdDSA"], issuer=PORTAL, options=at) == CLAIMS  # type: ignore[arg-type]


def test_key_set_contains_public_keys_only() -> None:
    assert [sorted(each) for each in KEY_SET["keys"]] == [["alg", "crv", "kid", "kty", "use", "x"]] * 2
    assert signing_keys.parse_public_keys({"keys": [*KEY_SET["keys"], {"kty": "RSA"}, 7]}).keys() == KEYS.keys()
    for key_set in ({}, {"keys": 1}, {"keys": [{"kty": "OKP", "crv": "Ed25519", "x": "AA"}]}):
        with pytest.raises(ValueError, match="key"):
            signing_keys.parse_public_keys(key_set)


def test_kid_is_the_thumbprint_of_rfc_8037() -> None:
    x = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"
    public_keys = signing_keys.parse_public_keys({"keys": [{"kty": "OKP", "crv": "Ed25519", "x": x}]})
    assert list(public_keys) == ["kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k"]


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    """Write the statement in both forms, the key set, and the key in the format of OpenSSL."""
    files_by_name = {
        "statement.json": encode_canonical_json(GENUINE).decode(),
        "statement.jws": serialize_compact(GENUINE),
        "badge-keys.json": json.dumps(KEY_SET),
        "badge-key.pem": signing_keys.encode_pem(NEW.public_key()),
    }
    for name, text in files_by_name.items():
        (tmp_path / name).write_text(text)
    return {name: tmp_path / name for name in files_by_name}


@pytest.mark.skipif(not shutil.which("openssl"), reason="no openssl on this machine")
def test_openssl_verifies_the_statement_as_documented(files: dict[str, Path]) -> None:
    lines = re.search(r"<!-- openssl: begin -->\s*```sh\n(.*?)```", DOCS.read_text(), re.S)
    assert lines is not None
    assert lines[1] == embed_codes.COMMANDS
    where = files["statement.jws"].parent

    def run() -> subprocess.CompletedProcess[str]:
        return subprocess.run(["sh", "-ec", lines[1]], cwd=where, capture_output=True, text=True)

    done = run()
    assert (done.returncode, "Verified Successfully" in done.stdout) == (0, True), done.stderr
    assert '"tier":"verified"' in done.stdout
    altered_statement = build_altered_statement(tier="partner-premier")
    files["statement.jws"].write_text(serialize_compact(altered_statement))
    assert run().returncode != 0


def run_verify_badge(capsys: Any, *words: str) -> tuple[int, str]:
    try:
        call_command("verify_badge", *words)
        code = 0
    except SystemExit as exit_error:
        code = int(exit_error.code or 0)
    except CommandError as problem:
        return problem.returncode, str(problem)
    return code, capsys.readouterr().out


def test_command_reports_each_verdict(files: dict[str, Path], capsys: Any, monkeypatch: Any) -> None:
    key = ["--key", str(files["badge-keys.json"])]
    at = ["--at", "2026-04-14T10:00Z"]
    for name in ("statement.json", "statement.jws"):
        code, text = run_verify_badge(capsys, str(files[name]), *key, *at)
        assert (code, text.splitlines()[0]) == (0, "Genuine. The portal signed this statement, and it has not expired.")
        assert "  Tier: verified\n" in text
        assert "  Expires: 2026-04-14 11:00 UTC\n" in text
    assert run_verify_badge(capsys, str(files["statement.json"]), *key, "--at", "2026-04-16T00:00Z")[0] == 1
    assert (
        run_verify_badge(capsys, str(files["statement.json"]), *key, *at, "--issuer", "https://other.example")[0] == 1
    )
    files["statement.json"].write_text(json.dumps(build_altered_statement(tier="official")))
    code, text = run_verify_badge(capsys, str(files["statement.json"]), *key, *at)
    assert (code, text.partition(".")[0]) == (1, "Altered")
    assert "Unverified claims:\n" in text
    files["statement.json"].write_bytes(b"\xff\xfe")
    assert run_verify_badge(capsys, str(files["statement.json"]), *key, *at)[0] == 2


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["gone", "--key", "badge-keys.json"], "Cannot read the statement: No such file or directory: gone."),
        (["statement.json", "--key", "gone.json"], "Cannot read the keys: No such file or directory: gone.json."),
        (["statement.json", "--key", "badge-key.pem"], "Not a JSON Web Key Set: badge-key.pem."),
        (
            ["statement.json", "--key", "badge-keys.json", "--at", "yesterday"],
            "Invalid time “yesterday”. Enter an ISO 8601 time, such as 2026-04-11T15:00:00-04:00.",
        ),
    ],
)
def test_command_explains_missing_arguments(
    files: dict[str, Path], monkeypatch: Any, capsys: Any, words: list[str], message: str
) -> None:
    monkeypatch.chdir(files["statement.json"].parent)
    assert run_verify_badge(capsys, *words) == (2, message)


@pytest.fixture
def listed_statement(integration_at: Any, client: Client) -> tuple[Any, str]:
    """Return a listed integration and its current statement."""
    row = integration_at("support")
    return row, client.get(f"/directory/{row.uuid}/statement.json").text


def test_page_shows_the_verdict_and_the_current_status(listed_statement: tuple[Any, str], client: Client) -> None:
    for answer in (
        client.get("/verify/", {"statement": listed_statement[1]}),
        client.post("/verify/", {"statement": listed_statement[1]}),
    ):
        assert "The portal signed this statement, and it has not expired." in answer.text
        assert "Current status" in answer.text
        assert "Status changed" not in answer.text
    assert client.session.keys() == set()


def test_page_accepts_a_file(listed_statement: tuple[Any, str], client: Client, tmp_path: Path) -> None:
    (tmp_path / "statement.json").write_text(listed_statement[1])
    with (tmp_path / "statement.json").open("rb") as file:
        assert "it has not expired" in client.post("/verify/", {"file": file}).text


def test_page_distinguishes_a_copied_statement_from_its_own(listed_statement: tuple[Any, str], client: Client) -> None:
    data = json.loads(listed_statement[1])
    claims = json.loads(base64.urlsafe_b64decode(data["payload"] + "=="))
    forged_statement = sign_claims(claims | {"tier": "premier"}, OTHER)
    altered_statement = data | {
        "payload": signing_keys.encode_base64url(encode_canonical_json(claims | {"tier": "<script>alert(1)</script>"}))
    }
    foreign = sign_claims(claims | {"iss": "https://other.example"}, OTHER)
    for text, heading in (
        (forged_statement, "Forged"),
        (altered_statement, "Altered"),
        (foreign, "From another portal"),
    ):
        page = client.post("/verify/", {"statement": json.dumps(text)}).text
        assert heading in page
        assert "Unverified claims" in page
        assert "<script>alert" not in page


@pytest.mark.parametrize("form_data", [{}, {"statement": "x" * 9000}, {"statement": " "}])
def test_page_asks_for_a_statement(client: Client, db: None, form_data: dict[str, str]) -> None:
    assert client.post("/verify/", form_data).status_code == 422


def test_outdated_statement_is_genuine_but_the_page_shows_the_current_status(
    listed_statement: tuple[Any, str], client: Client, alice: Any
) -> None:
    row = Integration.objects.get(pk=listed_statement[0].pk)
    perform_transition(row, "archive", actor=alice, note="We stop.", now=datetime.now(UTC))
    page = client.post("/verify/", {"statement": listed_statement[1]}).text
    assert "Genuine" in page
    assert "Status changed" in page
    assert "No longer supported" in page
