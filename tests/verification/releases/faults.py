"""Faulty releases and registry answers, by the moment at which Terraform finds the fault."""

from collections.abc import Callable
from typing import Any

from tests.fakes.signed_releases import build_zip
from tests.verification.releases.artifacts.keyring import build_trust_signature
from tests.verification.releases.artifacts.signature_cases import flip_bit
from tests.verification.releases.release_registry import ELF, Release, sha256

BuildRelease = Callable[[str], Release]
ReleaseFiles = dict[str, bytes]
TRUST = "-----BEGIN PGP SIGNATURE-----"
ARMOR = "-----BEGIN PGP PUBLIC KEY BLOCK-----"


def _with_fields(**fields: Any) -> BuildRelease:
    """Return a function that builds a release with these fields; so do the functions below."""
    return lambda name: Release(name, **fields)


def _with_sums(change: Callable[[bytes], bytes]) -> BuildRelease:
    """Change the checksums before signing."""

    def build(name: str) -> Release:
        release = Release(name)
        sums = f"{sha256(release.build_archive())}  {release.get_archive_name(('linux', 'amd64'))}\n".encode()
        return Release(name, sums=change(sums), manifest=None)

    return build


def _with_archive(change: Callable[[bytes], bytes]) -> BuildRelease:
    """Change the archive before its checksum is calculated."""
    return lambda name: Release(name, archive=change(Release(name).build_archive()))


def _with_tampered_file(end: str, change: Callable[[bytes], bytes], **fields: Any) -> BuildRelease:
    """Change the file whose name has this end after signing."""

    def change_files(release: Release, release_files: ReleaseFiles) -> None:
        for file in [file for file in release_files if file.endswith(end)]:
            release_files[file] = change(release_files[file])

    return _with_fields(change_files=change_files, **fields)


def _with_tampered_sums(**fields: Any) -> BuildRelease:
    """Add a line break to the checksums after signing."""
    return _with_tampered_file("_SHA256SUMS", lambda text: text + b"\n", **fields)


def _with_members(*names: str, content: bytes = ELF) -> BuildRelease:
    """Archive these members; NAME stands for the provider."""
    return lambda name: Release(name, members={member.replace("NAME", name): content for member in names})


def _with_package(**fields: Any) -> BuildRelease:
    return _with_fields(package=fields)


def _with_answer(end: str, answer: Any) -> BuildRelease:
    return _with_fields(answers={end: answer})


def _with_key(**fields: str) -> BuildRelease:
    return _with_fields(signing_keys=[{"key_id": "0" * 16, "ascii_armor": "", **fields}])


def _add_zip_comment(data: bytes) -> bytes:
    return data[:-2] + b"\x05\x00hello"


def _corrupt_crc(data: bytes) -> bytes:
    """Change the checksum in the central directory."""
    at = data.index(b"PK\x01\x02") + 16
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]


def _change_first_hash(change: Callable[[bytes], bytes]) -> Callable[[bytes], bytes]:
    return lambda text: change(text[:64]) + text[64:]


# faults that Terraform finds when it installs; one run installs all releases
INSTALL: dict[str, BuildRelease] = {
    "good": _with_fields(),
    "second-key": _with_fields(keys=("other", "good")),
    "dsa": _with_fields(signer="dsa", keys=("dsa",)),
    "ed25519": _with_fields(signer="ed25519", keys=("ed25519",)),
    "nistp256": _with_fields(signer="nistp256", keys=("nistp256",)),
    "subkey": _with_fields(signer="subkey", keys=("subkey",)),
    "weak-key": _with_fields(signer="weak", keys=("weak",)),
    "sha1": _with_fields(sign_options=("--digest-algo", "SHA1")),
    "sha512": _with_fields(sign_options=("--digest-algo", "SHA512")),
    "md5": _with_fields(sign_options=("--digest-algo", "MD5")),
    "ripemd": _with_fields(sign_options=("--digest-algo", "RIPEMD160")),
    "protocol-6": _with_fields(protocols=("6.0",)),
    "protocol-both": _with_fields(protocols=("4.0", "5.1")),
    "expired-since": _with_fields(signer="expired", signed_at="20260115T000000", keys=("expired",)),
    "expired-at-signing": _with_fields(signer="outlived", keys=("outlived",)),
    "revoked": _with_fields(signer="revoked", keys=("revoked",)),
    "revoked-tampered": _with_tampered_sums(signer="revoked", keys=("revoked",)),
    "signature-expired": _with_fields(sign_options=("--default-sig-expire", "10d")),
    "wrong-key": _with_fields(signer="other"),
    "no-keys": _with_fields(keys=()),
    "sums-changed": _with_tampered_sums(),
    "signature-bit-flipped": _with_tampered_file(".sig", flip_bit),
    "signature-empty": _with_fields(signature=b""),
    "signature-text": _with_fields(signature=b"no signature\n"),
    "signature-is-a-key": _with_fields(signature=lambda keys: keys.run_gpg("--export", "=good <good@acme.example>")),
    "signature-truncated": _with_tampered_file(".sig", lambda data: data[:100]),
    "signature-html": _with_fields(signature=b"<html></html>"),
    "signature-armored": _with_fields(sign_options=("--armor",)),
    "signature-twice": _with_tampered_file(".sig", lambda data: data + data),
    "sha1-tampered": _with_tampered_sums(sign_options=("--digest-algo", "SHA1")),
    "weak-key-tampered": _with_tampered_sums(signer="weak", keys=("weak",)),
    "dsa-tampered": _with_tampered_sums(signer="dsa", keys=("dsa",)),
    "ed25519-tampered": _with_tampered_sums(signer="ed25519", keys=("ed25519",)),
    "nistp256-tampered": _with_tampered_sums(signer="nistp256", keys=("nistp256",)),
    "key-not-armored": _with_key(ascii_armor="no armor"),
    "key-empty": _with_key(),
    "key-truncated": _with_key(ascii_armor=f"{ARMOR}\n\nmQENBF"),
    "key-not-base64": _with_key(ascii_armor=f"{ARMOR}\n\n!!!!\n-----END PGP PUBLIC KEY BLOCK-----\n"),
    "zip-changed": _with_tampered_file(".zip", lambda data: data + b"\x00"),
    "shasum-other": _with_package(shasum="ab" * 32),
    "zip-missing-in-sums": _with_fields(sums=b"00" * 32 + b"  something_else.zip\n"),
    "sums-empty": _with_fields(sums=b""),
    "sums-binary-mode": _with_sums(lambda text: text.replace(b"  ", b" *")),
    "sums-dot-slash": _with_sums(lambda text: text.replace(b"  ", b"  ./")),
    "sums-upper-case": _with_sums(_change_first_hash(bytes.upper)),
    "sums-crlf": _with_sums(lambda text: text.replace(b"\n", b"\r\n")),
    "sums-tab": _with_sums(lambda text: text.replace(b"  ", b"\t")),
    "sums-one-space": _with_sums(lambda text: text.replace(b"  ", b" ")),
    "sums-no-newline": _with_sums(bytes.strip),
    "sums-bom": _with_sums(lambda text: b"\xef\xbb\xbf" + text),
    "sums-utf-16": _with_sums(lambda text: text.decode().encode("utf-16")),
    "sums-nul": _with_sums(lambda text: text.replace(b"\n", b"\x00\n")),
    "sums-no-break-space": _with_sums(lambda text: text.replace(b"  ", "\u00a0".encode())),
    "sums-third-column": _with_sums(lambda text: text.replace(b"\n", b" signed\n")),
    "sums-repeated": _with_sums(lambda text: text + text),
    "sums-repeated-first-wrong": _with_sums(lambda text: _change_first_hash(lambda h: b"0" * 64)(text) + text),
    "sums-repeated-second-wrong": _with_sums(lambda text: text + _change_first_hash(lambda h: b"0" * 64)(text)),
    "sums-short-hash": _with_sums(_change_first_hash(lambda h: h[:62])),
    "sums-odd-digits": _with_sums(_change_first_hash(lambda h: h[:63])),
    "sums-not-hex": _with_sums(_change_first_hash(lambda h: b"g" + h[1:])),
    "sums-upper-case-name": _with_sums(lambda text: text.replace(b"terraform-provider", b"Terraform-Provider")),
    "sums-html": _with_fields(sums=b"<html>Not Found</html>\n"),
    "not-a-zip": _with_fields(archive=b"not a zip file at all"),
    "zip-truncated": _with_archive(lambda data: data[:-10]),
    "zip-without-end": _with_archive(lambda data: data[:-30]),
    "zip-empty": _with_fields(archive=b""),
    "zip-without-members": _with_fields(archive=build_zip({})),
    "zip-comment": _with_archive(_add_zip_comment),
    "zip-prefix": _with_archive(lambda data: b"#!/bin/sh\n" + data),
    "zip-crc": _with_archive(_corrupt_crc),
    "zip-dot-dot": _with_members("../terraform-provider-NAME_v1.0.0", "terraform-provider-NAME_v1.0.0"),
    "zip-nested-dot-dot": _with_members("a/../../terraform-provider-NAME_v1.0.0"),
    "binary-missing": _with_members("README.md"),
    "binary-of-other-provider": _with_members("terraform-provider-other_v1.0.0"),
    "binary-longer-name": _with_members("terraform-provider-NAMEx_v1.0.0"),
    "binary-in-folder": _with_members("bin/terraform-provider-NAME_v1.0.0"),
    "binary-upper-case": _with_members("Terraform-Provider-NAME_v1.0.0"),
    "binary-without-version": _with_members("terraform-provider-NAME"),
    "binary-other-version": _with_members("terraform-provider-NAME_v9.9.9"),
    "binary-exe": _with_members("terraform-provider-NAME.exe"),
    "binary-x5": _with_members("terraform-provider-NAME_v1.0.0_x5"),
    "binary-not-executable": _with_members("terraform-provider-NAME_v1.0.0", content=b"#!/bin/sh\n"),
    "with-license": _with_members("LICENSE", "README.md", "terraform-provider-NAME_v1.0.0"),
    "trust-not-armored": _with_fields(trust="no armor"),
    "trust-blank": _with_fields(trust=" "),
    "trust-empty": _with_fields(trust=f"{TRUST}\n\n-----END PGP SIGNATURE-----\n"),
    "trust-not-base64": _with_fields(trust=f"{TRUST}\n\n!!!\n-----END PGP SIGNATURE-----\n"),
    "trust-truncated": _with_fields(trust=lambda keys: build_trust_signature(keys)[:150]),
    "trust-by-another": _with_fields(trust=build_trust_signature),
    "trust-is-a-key": _with_fields(trust=lambda keys: keys.export("other").decode()),
    "filename-other": _with_package(filename="something_else.zip"),
    "filename-empty": _with_package(filename=""),
    "protocol-none": _with_package(protocols=[]),
}
# faults that crash Terraform
CRASH: dict[str, BuildRelease] = {
    "sums-blank-lines": _with_sums(lambda text: b"\n\n" + text + b"\n"),
    "sums-blank-at-end": _with_sums(lambda text: text + b"\n"),
    "sums-blank-crlf": _with_sums(lambda text: text + b"\r\n"),
    "sums-long-hash": _with_sums(_change_first_hash(lambda h: h + b"00")),
    "sums-blank-after-text": _with_sums(lambda text: text + b"# end\n\n"),
    "sums-blank-after-word": _with_sums(lambda text: text + b"end\n\n"),
}
# faults that Terraform finds before it downloads the archive
QUERY: dict[str, BuildRelease] = {
    "sums-404": _with_answer("_SHA256SUMS", 404),
    "sums-403": _with_answer("_SHA256SUMS", 403),
    "sig-404": _with_answer(".sig", 404),
    "zip-404": _with_answer(".zip", 404),
    "zip-500": _with_answer(".zip", 500),
    "zip-403": _with_answer(".zip", 403),
    "sums-500": _with_answer("_SHA256SUMS", 500),
    "package-404": _with_answer("/download/linux/amd64", 404),
    "package-401": _with_answer("/download/linux/amd64", 401),
    "package-500": _with_answer("/download/linux/amd64", 500),
    "package-html": _with_answer("/download/linux/amd64", b"<html></html>"),
    "package-list": _with_answer("/download/linux/amd64", []),
    "package-empty": _with_answer("/download/linux/amd64", b""),
    "package-truncated": _with_answer("/download/linux/amd64", b'{"os": "lin'),
    "arch-other": _with_package(arch="arm64"),
    "os-other": _with_package(os="darwin"),
    "shasum-short": _with_package(shasum="abcd"),
    "shasum-not-hex": _with_package(shasum="zz" * 32),
    "shasum-empty": _with_package(shasum=""),
    "protocols-4": _with_package(protocols=["4.0"]),
    "protocols-7": _with_package(protocols=["7.0"]),
    "protocols-invalid": _with_package(protocols=["five"]),
    "protocols-v5": _with_package(protocols=["v5.0"]),
    "protocols-5": _with_package(protocols=["5"]),
    "download-ftp": _with_package(download_url="ftp://127.0.0.1/x.zip"),
    "download-empty": _with_package(download_url=""),
    "download-control": _with_package(download_url="http://127.0.0.1/\x7f"),
    "shasums-ftp": _with_package(shasums_url="ftp://127.0.0.1/x"),
    "signature-ftp": _with_package(shasums_signature_url="ftp://127.0.0.1/x"),
    "protocols-text": _with_package(protocols="5.0"),
    "os-number": _with_package(os=1),
}
# faults that Terraform finds in the list of versions
VERSIONS: dict[str, BuildRelease] = {
    "versions-404": _with_answer("/versions", 404),
    "versions-401": _with_answer("/versions", 401),
    "versions-403": _with_answer("/versions", 403),
    "versions-400": _with_answer("/versions", 400),
    "versions-500": _with_answer("/versions", 500),
    "versions-429": _with_answer("/versions", 429),
    "versions-html": _with_answer("/versions", b"<html></html>"),
    "versions-empty": _with_fields(versions={"versions": []}),
    "versions-null": _with_fields(versions={"versions": None}),
    "versions-list": _with_answer("/versions", []),
    "versions-truncated": _with_answer("/versions", b'{"versions": ['),
    "versions-blank": _with_answer("/versions", b""),
    "version-v1": _with_fields(versions={"versions": [{"version": "v1.0", "protocols": ["5.0"]}]}),
    "version-text": _with_fields(versions={"versions": [{"version": "latest", "protocols": ["5.0"]}]}),
    "version-number": _with_fields(versions={"versions": [{"version": 1, "protocols": ["5.0"]}]}),
    "version-short": _with_fields(versions={"versions": [{"version": "1.0", "protocols": ["5.0"]}]}),
    "version-other": _with_fields(versions={"versions": [{"version": "2.0.0", "protocols": ["5.0"]}]}),
    "version-4": _with_fields(version_fields={"protocols": ["4.0"]}, package={"protocols": ["4.0"]}),
    "version-7": _with_fields(version_fields={"protocols": ["7.0"]}, package={"protocols": ["7.0"]}),
    "version-protocol-invalid": _with_fields(version_fields={"protocols": ["five"]}),
    "warnings": _with_fields(versions={"warnings": ["This provider is archived."]}),
    "slow": _with_answer("/versions", 2.5),
}
