"""Can a statement be forged, altered, or outlive its time? Judged by us, by another library, and by openssl alone."""

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
from integrations.submissions.services.transitions import perform
from portal.directory.badges import embed_codes, signing_keys, statements
from portal.directory.badges.statements import Verdict, canonical, claims_of, compact, sign, verify
from tests.portal.directory.badges.truths import MOMENT as NOW
from tests.portal.directory.badges.truths import a_truth

PORTAL = "https://portal.example"
OLD, NEW, OTHER = (signing_keys.signing_key(secret) for secret in ("old", "new", "other"))
SET = signing_keys.key_set(["new", "old"])
KEYS = signing_keys.public_keys(SET)
CLAIMS = claims_of(a_truth(), PORTAL, NOW)
GENUINE = sign(CLAIMS, NEW)
DOCS = Path(__file__).parents[4] / "docs" / "badge.md"


def b64(value: Any) -> str:
    return signing_keys.b64(value if isinstance(value, bytes) else json.dumps(value).encode())


def rewritten(**claims: Any) -> dict[str, str]:
    return GENUINE | {"payload": signing_keys.b64(canonical(CLAIMS | claims))}


def headed(**head: Any) -> str:
    """A statement under a head of somebody's own, signed with the genuine key where that can be."""
    protected = b64({"alg": "EdDSA", "kid": SET["keys"][0]["kid"], "typ": statements.TYPE} | head)
    signature = NEW.sign(f"{protected}.{GENUINE['payload']}".encode())
    return f"{protected}.{GENUINE['payload']}.{signing_keys.b64(signature)}"


def judged(text: Any, *, at: datetime = NOW, issuer: str | None = PORTAL) -> Verdict:
    text = text if isinstance(text, str) else json.dumps(text)
    return verify(text, KEYS, issuer, at).verdict


def test_both_forms_are_genuine_for_two_hours() -> None:
    for text in (json.dumps(GENUINE), json.dumps(GENUINE, indent=4), f"\n{compact(GENUINE)}\n"):
        assert judged(text) == Verdict.GENUINE
        assert judged(text, at=NOW + timedelta(hours=2, seconds=-1)) == Verdict.GENUINE
        assert judged(text, at=NOW + timedelta(hours=2)) == Verdict.EXPIRED
        assert judged(text, at=NOW - timedelta(minutes=6)) == Verdict.EARLY


def test_statements_of_one_minute_are_the_same_octets() -> None:
    later = claims_of(a_truth(), PORTAL, NOW + timedelta(seconds=59))
    assert canonical(sign(later, NEW)) == canonical(GENUINE)
    assert canonical(sign(claims_of(a_truth(), PORTAL, NOW + timedelta(seconds=60)), NEW)) != canonical(GENUINE)


def test_octets_are_sorted_compact_and_as_written() -> None:
    assert canonical({"b": "é", "a": 1}) == '{"a":1,"b":"é"}'.encode()
    assert signing_keys.unb64(GENUINE["payload"]) == canonical(CLAIMS)


def test_an_older_key_verifies_until_it_is_taken_away() -> None:
    old = json.dumps(sign(CLAIMS, OLD))
    assert judged(old) == Verdict.GENUINE
    assert verify(old, signing_keys.public_keys(signing_keys.key_set(["new"])), PORTAL, NOW).verdict == Verdict.FORGED


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        (rewritten(tier="partner-premier"), Verdict.ALTERED),
        (rewritten(exp=CLAIMS["exp"] + 1), Verdict.ALTERED),
        (rewritten(integration="Other"), Verdict.ALTERED),
        (GENUINE | {"signature": sign(CLAIMS | {"tier": ""}, NEW)["signature"]}, Verdict.ALTERED),
        (GENUINE | {"signature": ""}, Verdict.ALTERED),
        (GENUINE | {"signature": signing_keys.b64(bytes(64))}, Verdict.ALTERED),
        (GENUINE | {"protected": sign(CLAIMS, OLD)["protected"]}, Verdict.ALTERED),
        (sign(CLAIMS, OTHER), Verdict.FORGED),
        (sign(CLAIMS | {"iss": "https://other.example"}, OTHER), Verdict.FOREIGN),
        (sign(CLAIMS | {"iss": f"{PORTAL}/"}, OTHER), Verdict.FOREIGN),
        (headed(kid=None), Verdict.FORGED),
        (headed(alg="none"), Verdict.UNREADABLE),
        (headed(alg="HS256"), Verdict.UNREADABLE),
        (headed(typ="JWT"), Verdict.UNREADABLE),
        (sign(CLAIMS | {"exp": "tomorrow"}, NEW), Verdict.UNREADABLE),
        (sign(CLAIMS | {"exp": 10**30}, NEW), Verdict.UNREADABLE),
        (sign(CLAIMS | {"iat": True}, NEW), Verdict.UNREADABLE),
        (GENUINE | {"signature": GENUINE["signature"] + "="}, Verdict.UNREADABLE),
        (GENUINE | {"payload": GENUINE["payload"] + "\u0000"}, Verdict.UNREADABLE),
        (GENUINE | {"payload": 7}, Verdict.UNREADABLE),
        (GENUINE | {"payload": signing_keys.b64(b"[1]")}, Verdict.UNREADABLE),
        (GENUINE | {"payload": signing_keys.b64(b"[" * 3000)}, Verdict.UNREADABLE),
        (GENUINE | {"payload": signing_keys.b64(b"\xff")}, Verdict.UNREADABLE),
        ("", Verdict.UNREADABLE),
        ("a.b", Verdict.UNREADABLE),
        ("a.b.c.d", Verdict.UNREADABLE),
        ("{", Verdict.UNREADABLE),
        ("{}", Verdict.UNREADABLE),
        ("x" * 100_000, Verdict.UNREADABLE),
        ("✓ verified", Verdict.UNREADABLE),
    ],
    ids=range(30),
)
def test_anything_else_is_not_genuine(text: Any, verdict: Verdict) -> None:
    assert judged(text) == verdict


def test_one_changed_character_is_noticed_anywhere() -> None:
    word = compact(GENUINE)
    for place, char in enumerate(word):
        other = word[:place] + ("A" if char != "A" else "B") + word[place + 1 :]
        assert judged(other) not in (Verdict.GENUINE, Verdict.EXPIRED, Verdict.EARLY), place


def test_another_library_reads_it_too() -> None:
    key = jwt.PyJWK(SET["keys"][0])
    at = {"verify_exp": False, "verify_iat": False}
    assert jwt.decode(compact(GENUINE), key=key, algorithms=["EdDSA"], issuer=PORTAL, options=at) == CLAIMS  # type: ignore[arg-type]


def test_a_key_set_holds_public_keys_alone() -> None:
    assert [sorted(each) for each in SET["keys"]] == [["alg", "crv", "kid", "kty", "use", "x"]] * 2
    assert signing_keys.public_keys({"keys": [*SET["keys"], {"kty": "RSA"}, 7]}).keys() == KEYS.keys()
    for broken in ({}, {"keys": 1}, {"keys": [{"kty": "OKP", "crv": "Ed25519", "x": "AA"}]}):
        with pytest.raises(ValueError, match="key"):
            signing_keys.public_keys(broken)


def test_kid_is_the_thumbprint_of_rfc_8037() -> None:
    x = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"
    published = signing_keys.public_keys({"keys": [{"kty": "OKP", "crv": "Ed25519", "x": x}]})
    assert list(published) == ["kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k"]


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    """What somebody fetched: the statement in both forms, the key set, and the key as openssl reads it."""
    made = {
        "statement.json": canonical(GENUINE).decode(), "statement.jws": compact(GENUINE),
        "badge-keys.json": json.dumps(SET), "badge-key.pem": signing_keys.pem(NEW.public_key()),
    }  # fmt: skip
    for name, text in made.items():
        (tmp_path / name).write_text(text)
    return {name: tmp_path / name for name in made}


@pytest.mark.skipif(not shutil.which("openssl"), reason="no openssl on this machine")
def test_openssl_alone_verifies_it_as_documented(files: dict[str, Path]) -> None:
    lines = re.search(r"<!-- openssl: begin -->\s*```sh\n(.*?)```", DOCS.read_text(), re.S)
    assert lines is not None
    assert lines[1] == embed_codes.OPENSSL
    where = files["statement.jws"].parent

    def run() -> subprocess.CompletedProcess[str]:
        return subprocess.run(["sh", "-ec", lines[1]], cwd=where, capture_output=True, text=True)

    done = run()
    assert (done.returncode, "Verified Successfully" in done.stdout) == (0, True), done.stderr
    assert '"tier":"verified"' in done.stdout
    altered = rewritten(tier="partner-premier")
    files["statement.jws"].write_text(compact(altered))
    assert run().returncode != 0


def said(capsys: Any, *words: str) -> tuple[int, str]:
    try:
        call_command("verify_badge", *words)
        code = 0
    except SystemExit as ended:
        code = int(ended.code or 0)
    except CommandError as problem:
        return problem.returncode, str(problem)
    return code, capsys.readouterr().out


def test_command_tells_each_verdict(files: dict[str, Path], capsys: Any, monkeypatch: Any) -> None:
    key, at = ["--key", str(files["badge-keys.json"])], ["--at", "2026-04-14T10:00Z"]
    for name in ("statement.json", "statement.jws"):
        code, text = said(capsys, str(files[name]), *key, *at)
        assert (code, text.splitlines()[0]) == (0, "Genuine. The portal signed exactly this, and it has not expired.")
        assert "  Tier: verified\n" in text
        assert "  Expires: 2026-04-14 11:00 UTC\n" in text
    assert said(capsys, str(files["statement.json"]), *key, "--at", "2026-04-16T00:00Z")[0] == 1
    assert said(capsys, str(files["statement.json"]), *key, *at, "--issuer", "https://other.example")[0] == 1
    files["statement.json"].write_text(json.dumps(rewritten(tier="official")))
    code, text = said(capsys, str(files["statement.json"]), *key, *at)
    assert (code, text.partition(".")[0]) == (1, "Altered")
    assert "Nobody vouches for what it says:\n" in text
    files["statement.json"].write_bytes(b"\xff\xfe")
    assert said(capsys, str(files["statement.json"]), *key, *at)[0] == 2


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["gone", "--key", "badge-keys.json"], "The statement cannot be read: No such file or directory: gone."),
        (["statement.json", "--key", "gone.json"], "The keys cannot be read: No such file or directory: gone.json."),
        (["statement.json", "--key", "badge-key.pem"], "This is no JSON Web Key Set: badge-key.pem."),
        (
            ["statement.json", "--key", "badge-keys.json", "--at", "yesterday"],
            "--at must be a moment with its zone, as 2026-04-14T09:00Z, not 'yesterday'.",
        ),
    ],
)  # fmt: skip
def test_command_says_what_it_lacks(
    files: dict[str, Path], monkeypatch: Any, capsys: Any, words: list[str], sentence: str
) -> None:
    monkeypatch.chdir(files["statement.json"].parent)
    assert said(capsys, *words) == (2, sentence)


# -- the page ------------------------------------------------------------------------------------------------


@pytest.fixture
def fetched(at: Any, client: Client) -> tuple[Any, str]:
    """A listed integration and the statement that the portal gives of it now."""
    row = at("support")
    return row, client.get(f"/listed/{row.uuid}/statement.json").text


def test_page_says_genuine_and_what_is_so_now(fetched: tuple[Any, str], client: Client) -> None:
    for answer in (
        client.get("/verify/", {"statement": fetched[1]}),
        client.post("/verify/", {"statement": fetched[1]}),
    ):
        assert "The portal signed exactly this, and it has not expired." in answer.text
        assert "What is so now" in answer.text
        assert "No longer so" not in answer.text
    assert client.session.keys() == set()


def test_page_reads_a_file(fetched: tuple[Any, str], client: Client, tmp_path: Path) -> None:
    (tmp_path / "statement.json").write_text(fetched[1])
    with (tmp_path / "statement.json").open("rb") as file:
        assert "it has not expired" in client.post("/verify/", {"file": file}).text


def test_page_tells_a_copied_statement_from_one_of_its_own(fetched: tuple[Any, str], client: Client) -> None:
    told = json.loads(fetched[1])
    claims = json.loads(base64.urlsafe_b64decode(told["payload"] + "=="))
    forged = sign(claims | {"tier": "premier"}, OTHER)
    altered = told | {"payload": signing_keys.b64(canonical(claims | {"tier": "<script>alert(1)</script>"}))}
    foreign = sign(claims | {"iss": "https://other.example"}, OTHER)
    for text, heading in ((forged, "Forged"), (altered, "Altered"), (foreign, "Of another portal")):
        page = client.post("/verify/", {"statement": json.dumps(text)}).text
        assert heading in page
        assert "nobody vouches for it" in page
        assert "<script>alert" not in page


@pytest.mark.parametrize("given", [{}, {"statement": "x" * 9000}, {"statement": " "}])
def test_page_asks_for_a_statement(client: Client, db: None, given: dict[str, str]) -> None:
    assert client.post("/verify/", given).status_code == 422


def test_statement_stays_genuine_but_the_page_says_that_it_is_no_longer_so(
    fetched: tuple[Any, str], client: Client, alice: Any
) -> None:
    row = Integration.objects.get(pk=fetched[0].pk)
    perform(row, "archive", by=alice, note="We stop.", now=datetime.now(UTC))
    page = client.post("/verify/", {"statement": fetched[1]}).text
    assert "Genuine" in page
    assert "No longer so" in page
    assert "No longer supported" in page
