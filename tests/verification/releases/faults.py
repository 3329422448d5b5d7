"""Faulty releases, among them all faults of recorded registry answers."""

from collections.abc import Callable
from typing import Any

from tests.verification.releases.artifacts.keyring import build_trust_signature
from tests.verification.releases.world import ELF, Release, build_zip, sha256

ReleaseFiles = dict[str, bytes]
TRUST = "-----BEGIN PGP SIGNATURE-----"
ARMOUR = "-----BEGIN PGP PUBLIC KEY BLOCK-----"


def _sums(change: Callable[[bytes], bytes]) -> Callable[[str], Release]:
    """Return a release whose checksums were changed before signing."""

    def make(name: str) -> Release:
        whole = Release(name)
        assets = {whole.zip_name(("linux", "amd64")): whole.content()}
        text = "".join(f"{sha256(data)}  {file}\n" for file, data in assets.items()).encode()
        return Release(name, sums=change(text), manifest=None)

    return make


def _after(end: str, change: Callable[[bytes], bytes]) -> Callable[[str], Release]:
    """Return a release with a file that was changed after signing."""

    def alter(release: Release, release_files: ReleaseFiles) -> None:
        for file in [file for file in release_files if file.endswith(end)]:
            release_files[file] = change(release_files[file])

    return lambda name: Release(name, after=alter)


def _with(**fields: Any) -> Callable[[str], Release]:
    return lambda name: Release(name, **fields)


def _members(*names: str, content: bytes = ELF) -> Callable[[str], Release]:
    """Return a release whose archive has these members; NAME stands for the provider."""
    return lambda name: Release(name, members={member.replace("NAME", name): content for member in names})


def _package(**fields: Any) -> Callable[[str], Release]:
    return lambda name: Release(name, package=fields)


def _answer(end: str, answer: Any) -> Callable[[str], Release]:
    return lambda name: Release(name, answers={end: answer})


def _key(**fields: str) -> Callable[[str], Release]:
    return lambda name: Release(name, signing_keys=[{"key_id": "0" * 16, "ascii_armor": "", **fields}])


def flip_bit(data: bytes) -> bytes:
    return data[:-3] + bytes([data[-3] ^ 1]) + data[-2:]


def _first_hash(change: Callable[[bytes], bytes]) -> Callable[[bytes], bytes]:
    return lambda text: change(text[:64]) + text[64:]


# faults that Terraform finds when it installs; one run installs all releases
INSTALL: dict[str, Callable[[str], Release]] = {
    "good": _with(),
    "second-key": _with(keys=("other", "good")),
    "dsa": _with(signer="dsa", keys=("dsa",)),
    "ed25519": _with(signer="ed25519", keys=("ed25519",)),
    "nistp256": _with(signer="nistp256", keys=("nistp256",)),
    "subkey": _with(signer="subkey", keys=("subkey",)),
    "weak-key": _with(signer="weak", keys=("weak",)),
    "sha1": _with(sign_options=("--digest-algo", "SHA1")),
    "sha512": _with(sign_options=("--digest-algo", "SHA512")),
    "md5": _with(sign_options=("--digest-algo", "MD5")),
    "ripemd": _with(sign_options=("--digest-algo", "RIPEMD160")),
    "protocol-6": _with(protocols=("6.0",)),
    "protocol-both": _with(protocols=("4.0", "5.1")),
    "expired-since": _with(signer="expired", signed_at="20260115T000000", keys=("expired",)),
    "expired-at-signing": _with(signer="outlived", keys=("outlived",)),
    "revoked": _with(signer="revoked", keys=("revoked",)),
    "revoked-tampered": lambda name: Release(
        name, signer="revoked", keys=("revoked",), after=_after("_SHA256SUMS", lambda text: text + b"\n")(name).after
    ),
    "signature-expired": _with(sign_options=("--default-sig-expire", "10d")),
    "wrong-key": _with(signer="other"),
    "no-keys": _with(keys=()),
    "sums-changed": _after("_SHA256SUMS", lambda text: text + b"\n"),
    "signature-flipped": _after(".sig", flip_bit),
    "signature-empty": _with(signature=b""),
    "signature-text": _with(signature=b"no signature\n"),
    "signature-is-a-key": lambda name: Release(name, signature=b"KEY"),
    "signature-cut": _after(".sig", lambda data: data[:100]),
    "signature-page": _with(signature=b"<html></html>"),
    "signature-armoured": _with(sign_options=("--armor",)),
    "signature-twice": _after(".sig", lambda data: data + data),
    "sha1-tampered": lambda name: Release(
        name, sign_options=("--digest-algo", "SHA1"), after=_after("_SHA256SUMS", lambda text: text + b"\n")(name).after
    ),
    "weak-key-tampered": lambda name: Release(
        name, signer="weak", keys=("weak",), after=_after("_SHA256SUMS", lambda text: text + b"\n")(name).after
    ),
    "dsa-tampered": lambda name: Release(
        name, signer="dsa", keys=("dsa",), after=_after("_SHA256SUMS", lambda text: text + b"\n")(name).after
    ),
    "ed25519-tampered": lambda name: Release(
        name, signer="ed25519", keys=("ed25519",), after=_after("_SHA256SUMS", lambda text: text + b"\n")(name).after
    ),
    "nistp256-tampered": lambda name: Release(
        name, signer="nistp256", keys=("nistp256",), after=_after("_SHA256SUMS", lambda text: text + b"\n")(name).after
    ),
    "key-no-armour": _key(ascii_armor="no armour"),
    "key-empty": _key(),
    "key-cut": _key(ascii_armor=f"{ARMOUR}\n\nmQENBF"),
    "key-no-base64": _key(ascii_armor=f"{ARMOUR}\n\n!!!!\n-----END PGP PUBLIC KEY BLOCK-----\n"),
    "zip-changed": _after(".zip", lambda data: data + b"\x00"),
    "shasum-other": _package(shasum="ab" * 32),
    "zip-missing-in-sums": _with(sums=b"00" * 32 + b"  something_else.zip\n"),
    "sums-empty": _with(sums=b""),
    "sums-binary-mode": _sums(lambda text: text.replace(b"  ", b" *")),
    "sums-dot-slash": _sums(lambda text: text.replace(b"  ", b"  ./")),
    "sums-upper-case": _sums(_first_hash(bytes.upper)),
    "sums-crlf": _sums(lambda text: text.replace(b"\n", b"\r\n")),
    "sums-tab": _sums(lambda text: text.replace(b"  ", b"\t")),
    "sums-one-space": _sums(lambda text: text.replace(b"  ", b" ")),
    "sums-no-newline": _sums(bytes.strip),
    "sums-bom": _sums(lambda text: b"\xef\xbb\xbf" + text),
    "sums-utf-16": _sums(lambda text: text.decode().encode("utf-16")),
    "sums-nul": _sums(lambda text: text.replace(b"\n", b"\x00\n")),
    "sums-no-break-space": _sums(lambda text: text.replace(b"  ", "\u00a0".encode())),
    "sums-third-column": _sums(lambda text: text.replace(b"\n", b" signed\n")),
    "sums-twice-the-same": _sums(lambda text: text + text),
    "sums-twice-first-wrong": _sums(lambda text: _first_hash(lambda h: b"0" * 64)(text) + text),
    "sums-twice-second-wrong": _sums(lambda text: text + _first_hash(lambda h: b"0" * 64)(text)),
    "sums-short-hash": _sums(_first_hash(lambda h: h[:62])),
    "sums-odd-hash": _sums(_first_hash(lambda h: h[:63])),
    "sums-no-hex": _sums(_first_hash(lambda h: b"g" + h[1:])),
    "sums-name-in-capitals": _sums(lambda text: text.replace(b"terraform-provider", b"Terraform-Provider")),
    "sums-page": _with(sums=b"<html>Not Found</html>\n"),
    "no-zip": _with(archive=b"not a zip file at all"),
    "zip-cut": lambda name: Release(name, archive=Release(name).content()[:-10]),
    "zip-without-end": lambda name: Release(name, archive=Release(name).content()[:-30]),
    "zip-empty": _with(archive=b""),
    "zip-without-members": _with(archive=build_zip({})),
    "zip-comment": lambda name: Release(name, archive=add_zip_comment(Release(name).content())),
    "zip-prefix": lambda name: Release(name, archive=b"#!/bin/sh\n" + Release(name).content()),
    "zip-crc": lambda name: Release(name, archive=_wrong_crc(Release(name).content())),
    "zip-dots": _members("../terraform-provider-NAME_v1.0.0", "terraform-provider-NAME_v1.0.0"),
    "zip-deep-dots": _members("a/../../terraform-provider-NAME_v1.0.0"),
    "binary-missing": _members("README.md"),
    "binary-of-another": _members("terraform-provider-other_v1.0.0"),
    "binary-longer-name": _members("terraform-provider-NAMEx_v1.0.0"),
    "binary-in-folder": _members("bin/terraform-provider-NAME_v1.0.0"),
    "binary-in-capitals": _members("Terraform-Provider-NAME_v1.0.0"),
    "binary-bare": _members("terraform-provider-NAME"),
    "binary-other-version": _members("terraform-provider-NAME_v9.9.9"),
    "binary-exe": _members("terraform-provider-NAME.exe"),
    "binary-x5": _members("terraform-provider-NAME_v1.0.0_x5"),
    "binary-no-executable": _members("terraform-provider-NAME_v1.0.0", content=b"#!/bin/sh\n"),
    "with-license": _members("LICENSE", "README.md", "terraform-provider-NAME_v1.0.0"),
    "trust-no-armour": _with(trust="no armour"),
    "trust-blank": _with(trust=" "),
    "trust-empty": _with(trust=f"{TRUST}\n\n-----END PGP SIGNATURE-----\n"),
    "trust-no-base64": _with(trust=f"{TRUST}\n\n!!!\n-----END PGP SIGNATURE-----\n"),
    "trust-cut": _with(trust=lambda keys: build_trust_signature(keys)[:150]),
    "trust-by-another": _with(trust=build_trust_signature),
    "trust-is-a-key": _with(trust=lambda keys: keys.export("other").decode()),
    "filename-other": _package(filename="something_else.zip"),
    "filename-empty": _package(filename=""),
    "protocol-none": _package(protocols=[]),
}


def add_zip_comment(data: bytes) -> bytes:
    return data[:-2] + b"\x05\x00hello"


def _wrong_crc(data: bytes) -> bytes:
    """Change the checksum in the central directory."""
    at = data.index(b"PK\x01\x02") + 16
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]


# faults that crash Terraform
CRASH: dict[str, Callable[[str], Release]] = {
    "sums-blank-lines": _sums(lambda text: b"\n\n" + text + b"\n"),
    "sums-blank-at-end": _sums(lambda text: text + b"\n"),
    "sums-blank-crlf": _sums(lambda text: text + b"\r\n"),
    "sums-long-hash": _sums(_first_hash(lambda h: h + b"00")),
    "sums-blank-after-text": _sums(lambda text: text + b"# end\n\n"),
    "sums-blank-after-word": _sums(lambda text: text + b"end\n\n"),
}
# faults that Terraform finds before it downloads
QUERY: dict[str, Callable[[str], Release]] = {
    "sums-404": _answer("_SHA256SUMS", 404),
    "sums-403": _answer("_SHA256SUMS", 403),
    "sig-404": _answer(".sig", 404),
    "zip-404": _answer(".zip", 404),
    "zip-500": _answer(".zip", 500),
    "zip-403": _answer(".zip", 403),
    "sums-500": _answer("_SHA256SUMS", 500),
    "package-404": _answer("/download/linux/amd64", 404),
    "package-401": _answer("/download/linux/amd64", 401),
    "package-500": _answer("/download/linux/amd64", 500),
    "package-page": _answer("/download/linux/amd64", b"<html></html>"),
    "package-list": _answer("/download/linux/amd64", []),
    "package-empty": _answer("/download/linux/amd64", b""),
    "package-cut": _answer("/download/linux/amd64", b'{"os": "lin'),
    "arch-other": _package(arch="arm64"),
    "os-other": _package(os="darwin"),
    "shasum-short": _package(shasum="abcd"),
    "shasum-no-hex": _package(shasum="zz" * 32),
    "shasum-empty": _package(shasum=""),
    "protocols-4": _package(protocols=["4.0"]),
    "protocols-7": _package(protocols=["7.0"]),
    "protocols-odd": _package(protocols=["five"]),
    "protocols-v5": _package(protocols=["v5.0"]),
    "protocols-5": _package(protocols=["5"]),
    "download-ftp": _package(download_url="ftp://127.0.0.1/x.zip"),
    "download-empty": _package(download_url=""),
    "download-control": _package(download_url="http://127.0.0.1/\x7f"),
    "shasums-ftp": _package(shasums_url="ftp://127.0.0.1/x"),
    "signature-ftp": _package(shasums_signature_url="ftp://127.0.0.1/x"),
    "protocols-text": _package(protocols="5.0"),
    "os-number": _package(os=1),
}
VERSIONS: dict[str, Callable[[str], Release]] = {
    "versions-404": _answer("/versions", 404),
    "versions-401": _answer("/versions", 401),
    "versions-403": _answer("/versions", 403),
    "versions-400": _answer("/versions", 400),
    "versions-500": _answer("/versions", 500),
    "versions-429": _answer("/versions", 429),
    "versions-page": _answer("/versions", b"<html></html>"),
    "versions-empty": _with(versions={"versions": []}),
    "versions-null": _with(versions={"versions": None}),
    "versions-list": _answer("/versions", []),
    "versions-cut": _answer("/versions", b'{"versions": ['),
    "versions-nothing": _answer("/versions", b""),
    "version-v1": _with(versions={"versions": [{"version": "v1.0", "protocols": ["5.0"]}]}),
    "version-text": _with(versions={"versions": [{"version": "latest", "protocols": ["5.0"]}]}),
    "version-number": _with(versions={"versions": [{"version": 1, "protocols": ["5.0"]}]}),
    "version-short": _with(versions={"versions": [{"version": "1.0", "protocols": ["5.0"]}]}),
    "version-other": _with(versions={"versions": [{"version": "2.0.0", "protocols": ["5.0"]}]}),
    "version-4": _with(version_fields={"protocols": ["4.0"]}, package={"protocols": ["4.0"]}),
    "version-7": _with(version_fields={"protocols": ["7.0"]}, package={"protocols": ["7.0"]}),
    "version-protocol-odd": _with(version_fields={"protocols": ["five"]}),
    "warnings": _with(versions={"warnings": ["This provider is archived."]}),
    "slow": _answer("/versions", 2.5),
}
