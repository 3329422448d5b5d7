"""Recorded cases of the signature suite, and the command that records them again.

`python -m tests.conform.signature_vectors` needs Terraform, GnuPG and Go with both OpenPGP packages; see
tests/conform/go/README.md. The suite itself needs none of them.
"""

import base64
import json
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from tests.conform.signature_cases import FILENAME, NAME, SUMS, VERSION, Case, format_sums
from tests.conform.signature_mutations import add_armor, finish_case, mutate, remove_armor, sign_case
from tests.conform.signature_references import TerraformReference
from tests.fakes.signed_releases import build_zip
from tests.verification.releases.artifacts import openpgp
from tests.verification.releases.artifacts.keyring import Keyring, build_test_keyring
from tests.verification.releases.release_registry import ELF

DATA = Path(__file__).with_name("data")
CASES_FILE = DATA / "signatures.json"
FUZZ_VERDICTS_FILE = DATA / "signatures-fuzz.json"
GO_SOURCE = Path(__file__).with_name("go") / "sign.go"
GO_ENVIRONMENT = {"GO111MODULE": "off", "GOPATH": "/usr/share/gocode"}
RECORDED_SEED = 1
RECORDED_CASES = 10_000
LINE = 100
GPG_KEYS = ("good", "other", "dsa", "ed25519", "nistp256", "subkey", "retired-subkey", "expired", "revoked", "outlived")
GPG_DIGESTS = ("SHA1", "SHA224", "SHA256", "SHA384", "SHA512", "MD5", "RIPEMD160")
# Digests and keys that gpg refuses to pair
SHORT_DIGESTS = ("SHA1", "SHA224", "MD5", "RIPEMD160")
LONG_GROUPS = ("dsa", "nistp256")
ACCEPTED = "a"
REFUSED = "r"
CRASHED = "c"


@cache
def load_cases() -> tuple[tuple[Case, str], ...]:
    """Return each recorded case with Terraform's error, empty where it installed the provider."""
    data = json.loads(CASES_FILE.read_text())
    keys = data["keys"]
    return tuple(
        (Case.from_json(fields | {"keys": [keys[name] for name in fields["keys"]]}), error)
        for fields, error in data["cases"]
    )


def load_bases() -> list[Case]:
    """Return the cases that mutations start from: one sound signature by each key."""
    first: dict[tuple[str, ...], Case] = {}
    for case, error in load_cases():
        if case.name.startswith(("go ", "gpg ")) and not error:
            first.setdefault(case.keys, case)
    return list(first.values())


def draw_fuzz_cases(seed: int, count: int, step: int = 1) -> tuple[list[Case], float]:
    """Return every `step`th of the mutated cases, and a number that shows whether the generator drew the same ones."""
    rng = random.Random(seed)
    bases = load_bases()
    cases = [mutate(rng, rng.choice(bases), bases) for _ in range(count)]
    return [finish_case(case) for case in cases[::step]], rng.random()


def load_fuzz_verdicts(seed: int, count: int, fingerprint: float) -> str:
    """Return one letter for each fuzz case as recorded, empty for cases that no one recorded."""
    if not FUZZ_VERDICTS_FILE.exists():
        return ""
    data = json.loads(FUZZ_VERDICTS_FILE.read_text())
    fits = (seed, count, fingerprint) == (data["seed"], data["cases"], data["drawn"])
    return "".join(data["verdicts"]) if fits else ""


def abbreviate_verdict(error: str) -> str:
    """Return Terraform's verdict as one letter."""
    return CRASHED if error.startswith("panic: ") else REFUSED if error else ACCEPTED


def record_cases() -> None:
    """Generate all cases and ask Terraform about each."""
    keyring = build_test_keyring()
    try:
        cases = [*_generate_go_cases(), *_generate_gpg_cases(keyring)]
        cases += _generate_listed_cases(keyring, {case.name: case for case in cases})
    finally:
        keyring.close()
    errors = _ask_terraform(cases)
    names = {key: f"key {number}" for number, key in enumerate(dict.fromkeys(key for c in cases for key in c.keys))}
    rows = [
        json.dumps([case.to_json() | {"keys": [names[key] for key in case.keys]}, _remove_prefix(error)])
        for case, error in zip(cases, errors, strict=True)
    ]
    keys = json.dumps({name: key for key, name in names.items()}, indent=0)
    lines = ",\n".join(rows)
    CASES_FILE.write_text(f'{{"keys": {keys},\n"cases": [\n{lines}\n]}}\n')


def record_fuzz() -> None:
    """Ask Terraform about the mutated cases of the recorded seed."""
    cases, fingerprint = draw_fuzz_cases(RECORDED_SEED, RECORDED_CASES)
    letters = "".join(map(abbreviate_verdict, _ask_terraform(cases)))
    lines = [letters[at : at + LINE] for at in range(0, len(letters), LINE)]
    fields = {"seed": RECORDED_SEED, "cases": RECORDED_CASES, "drawn": fingerprint, "verdicts": lines}
    FUZZ_VERDICTS_FILE.write_text(json.dumps(fields, indent=1) + "\n")


def _ask_terraform(cases: list[Case]) -> list[str]:
    reference = TerraformReference()
    try:
        return reference.evaluate(cases)
    finally:
        reference.close()


def _remove_prefix(error: str) -> str:
    """Return the part of Terraform's error that is about the release."""
    return error.split(" v1.0.0: ", 1)[-1]


def _generate_go_cases() -> Iterator[Case]:
    with tempfile.TemporaryDirectory() as folder:
        program = str(Path(folder) / "sign")
        environment = {**os.environ, **GO_ENVIRONMENT}
        subprocess.run(["go", "build", "-o", program, GO_SOURCE], env=environment, check=True)
        data = json.loads(subprocess.run([program], input=SUMS, capture_output=True, check=True).stdout)
    for entry in data:
        for name, signature in sorted(entry["signatures"].items()):
            case = f"go {entry['maker']} {entry['name']} {name}"
            yield Case(case, base64.b64decode(signature), (entry["key"],))


def _generate_gpg_cases(keyring: Keyring) -> Iterator[Case]:
    for name in GPG_KEYS:
        for digest in GPG_DIGESTS:
            if name in LONG_GROUPS and digest in SHORT_DIGESTS:
                continue
            at = "20260115T000000" if name == "expired" else "20260401T120000"
            signature = keyring.sign(name, SUMS, "--digest-algo", digest, at=at)
            yield Case(f"gpg {name} {digest}", signature, (keyring.export(name).decode(),))


def _generate_listed_cases(keyring: Keyring, base_cases: dict[str, Case]) -> Iterator[Case]:
    """Yield the cases where verifiers are known to differ, on a key by GnuPG and on one by Go."""
    other = keyring.export("other").decode()
    for maker, base in (("gpg", base_cases["gpg good SHA256"]), ("go", base_cases["go ProtonMail rsa2048 sha256-a"])):
        for name, change in CHANGES_BY_NAME.items():
            changed_case = change(base, other)
            yield replace(changed_case, name=f"listed {maker} {name}")
    yield from _generate_built_cases()
    for name, options, at in (
        ("future", (), "20900101T000000"),
        ("expired signature", ("--default-sig-expire", "10d"), "20260401T120000"),
        ("text mode", ("--textmode",), "20260401T120000"),
        ("critical notation", ("--sig-notation", "!note@acme.example=1"), "20260401T120000"),
        ("notation", ("--sig-notation", "note@acme.example=1"), "20260401T120000"),
    ):
        signature = keyring.sign("good", SUMS, *options, at=at)
        yield Case(f"listed gpg {name}", signature, (keyring.export("good").decode(),))


def _generate_built_cases() -> Iterator[Case]:
    """Yield signatures and archives that no tool creates."""
    key = add_armor(openpgp.build_key())
    for name, options in BUILT_SIGNATURES.items():
        yield Case(f"listed built {name}", openpgp.sign(SUMS, **options), (key,))
    for name, options in BUILT_KEYS.items():
        yield Case(f"listed built {name}", openpgp.sign(SUMS), (add_armor(openpgp.build_key(**options)),))
    for size in (3981, 4201):
        path = "a/" * (size // 2) + "b"
        archive = build_zip({f"terraform-provider-{NAME}_v{VERSION}": ELF, path: b"text"})
        case = Case(f"listed built path of {size} bytes", b"", (), archive=archive)
        yield sign_case(case, format_sums(archive))


BUILT_SIGNATURES: dict[str, dict[str, Any]] = {
    "RSA with SHA-256": {},
    "RSA with SHA3-256": {"digest": 12},
    "RSA with SHA3-512": {"digest": 14},
    "integer of length 0": {"change": lambda number: b"\0\0"},
    "integer longer than the modulus": {"change": lambda number: b"\x08\x34" + b"\x0f" * 263},
    "certification": {"kind": 0x10},
    "standalone": {"kind": 0x02},
}


BUILT_KEYS: dict[str, dict[str, Any]] = {
    "key without flags": {"flags": b""},
    "key whose user ID is only revoked": {"kind": 0x30},
}


def _change_key(change: Callable[[str, str], str | tuple[str, ...]]) -> Callable[[Case, str], Case]:
    def make(case: Case, other: str) -> Case:
        keys = change(case.keys[0], other)
        return replace(case, keys=(keys,) if isinstance(keys, str) else keys)

    return make


def _change_signature(change: Callable[[bytes], bytes]) -> Callable[[Case, str], Case]:
    return lambda case, _: replace(case, signature=change(case.signature))


def _change_sums(change: Callable[[bytes], bytes]) -> Callable[[Case, str], Case]:
    return lambda case, _: sign_case(case, change(case.sums))


def _change_package(**fields: object) -> Callable[[Case, str], Case]:
    return lambda case, _: replace(case, package=fields)


def _remove_checksum(key: str) -> str:
    return "\n".join(line for line in key.split("\n") if not (len(line) == 5 and line.startswith("=")))


def _break_checksum(key: str) -> str:
    return "\n".join("=AAAA" if len(line) == 5 and line.startswith("=") else line for line in key.split("\n"))


CHANGES_BY_NAME: dict[str, Callable[[Case, str], Case]] = {
    "bytes behind the signature": _change_signature(lambda data: data + b"more bytes"),
    "signature twice": _change_signature(lambda data: data * 2),
    "marker packet in front": _change_signature(lambda data: b"\xca\x03PGP" + data),
    "armored signature": _change_signature(lambda data: add_armor(data, "PGP SIGNATURE").encode()),
    "empty signature": _change_signature(lambda _: b""),
    "signature is a page": _change_signature(lambda _: b"<html></html>\n"),
    "signature cut": _change_signature(lambda data: data[:100]),
    "signature flipped": _change_signature(lambda data: data[:-3] + bytes([data[-3] ^ 1]) + data[-2:]),
    "signature is a key": lambda case, _: replace(case, signature=remove_armor(case.keys[0])),
    "no keys": lambda case, _: replace(case, keys=()),
    "twenty keys in front": _change_key(lambda key, other: (other,) * 20 + (key,)),
    "forty keys in front": _change_key(lambda key, other: (other,) * 40 + (key,)),
    "unreadable key in front": _change_key(lambda key, _: ("no key", key)),
    "unreadable key behind": _change_key(lambda key, _: (key, "no key")),
    "other key": _change_key(lambda _, other: other),
    "two blocks, the first signed": _change_key(lambda key, other: key + other),
    "two blocks, the second signed": _change_key(lambda key, other: other + key),
    "two keys in one block": _change_key(lambda key, other: add_armor(remove_armor(other) + remove_armor(key))),
    "wrong armor checksum": _change_key(lambda key, _: _break_checksum(key)),
    "no armor checksum": _change_key(lambda key, _: _remove_checksum(key)),
    "no end of the armor": _change_key(lambda key, _: key[: key.index("-----END")]),
    "armor of a message": _change_key(lambda key, _: key.replace("PUBLIC KEY BLOCK", "MESSAGE")),
    "armor of a private key": _change_key(lambda key, _: key.replace("PUBLIC KEY", "PRIVATE KEY")),
    "Windows line ends in the key": _change_key(lambda key, _: key.replace("\n", "\r\n")),
    "spaces behind the lines of the key": _change_key(lambda key, _: key.replace("\n", " \n")),
    "sums changed": lambda case, _: replace(case, sums=case.sums + b"\n"),
    "sums with ./name": _change_sums(lambda sums: sums.replace(b"  ", b"  ./")),
    "sums with *name": _change_sums(lambda sums: sums.replace(b"  ", b" *")),
    "sums in capitals": _change_sums(lambda sums: sums[:64].upper() + sums[64:]),
    "sums with capitals in the name": _change_sums(lambda sums: sums.replace(b"terraform", b"Terraform")),
    "sums with Windows line ends": _change_sums(lambda sums: sums.replace(b"\n", b"\r\n")),
    "sums with a blank line": _change_sums(lambda sums: sums + b"\n"),
    "sums without a line end": _change_sums(bytes.strip),
    "sums that name the file twice": _change_sums(lambda sums: sums + b"0" * 64 + sums[64:]),
    "sums of several platforms": _change_sums(
        lambda sums: b"".join(sums.replace(b"linux_amd64", name) for name in (b"darwin_arm64", b"linux_amd64", b"x_y"))
    ),
    "JSON names in capitals": lambda case, _: replace(
        case,
        package={
            "filename": None,
            "FILENAME": FILENAME,
            "signing_keys": None,
            "Signing_Keys": _build_signing_keys(case),
        },
    ),
    "JSON name twice": _change_package(Filename="other.zip"),
}


def _build_signing_keys(case: Case) -> dict[str, object]:
    return {"GPG_Public_Keys": [{"Key_ID": "", "ASCII_ARMOR": key} for key in case.keys]}


if __name__ == "__main__":
    if "--fuzz-only" not in sys.argv:
        record_cases()
    record_fuzz()
