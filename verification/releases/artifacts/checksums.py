"""SHA256SUMS files, read twice: as Terraform reads them, and as people should write them.

Terraform takes the first line whose second word is the file's name and ignores the rest. It also reads the
whole file once more after an installation, and does not survive a blank line in it.
"""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from verification.releases.artifacts.remarks import Remark, build_remark, select_remarks
from verification.terraform.messages import (
    ACCEPT_DECISION,
    HEX_DIGITS,
    TerraformDecision,
    build_refusal,
    decode_hex,
    quote,
)

# As much as the client downloads: see verification.sources.http.client.SUMS.
MAX_BYTES = 1024 * 1024
MAX_LINES = 1000
# Spaces in Go. Possessive, so that a mebibyte of them needs no memory for backtracking.
SPACE = re.compile(
    rb"(?:[\t-\r ]|\xc2[\x85\xa0]|\xe1\x9a\x80|\xe2\x80[\x80-\x8a\xa8\xa9\xaf]|\xe2\x81\x9f|\xe3\x80\x80)++"
)
WELL_SPACED_LINE = re.compile(rb"[!-~\x80-\xff]{64}  [!-~]+")
MARKS = ((b"\xef\xbb\xbf", "UTF-8 with a mark in front"), (b"\xff\xfe", "UTF-16"), (b"\xfe\xff", "UTF-16"))


@dataclass(frozen=True, slots=True)
class Line:
    """Line with at least two words. `number` counts from 1."""

    number: int
    digest: bytes
    name: bytes


def trim(line: bytes) -> bytes:
    """Return the line without white space at its ends, as Go's bytes.TrimSpace."""
    start = match.end() if (match := SPACE.match(line)) else 0
    end = next((match.start() for match in SPACE.finditer(line, start) if match.end() == len(line)), len(line))
    return line[start:end]


def split_words(line: bytes) -> list[bytes]:
    return [word for word in SPACE.split(line) if word]


def parse_lines(document: bytes) -> list[Line]:
    """Return the lines that name a file, as Terraform splits them."""
    split = ((number, split_words(line)) for number, line in enumerate(document.split(b"\n"), 1))
    return [Line(number, parts[0], parts[1]) for number, parts in split if len(parts) > 1]


def _find_listed_digest(document: bytes, name: str) -> bytes | None:
    """Return the word before the first mention of a file, as Terraform finds it, or None without one."""
    encoded_name = name.encode()
    # Every check of every platform searches the list, so only lines that contain the name are split.
    lines = (split_words(line) for line in document.split(b"\n") if encoded_name and encoded_name in line)
    return next((words[0] for words in lines if words[1:2] == [encoded_name]), None)


def find_digest(document: bytes, name: str) -> str:
    """Return the SHA-256 of a file in lowercase, blank if the list has no usable one."""
    digest = _find_listed_digest(document, name) or b""
    return digest.decode().lower() if len(digest) == 64 and HEX_DIGITS.issuperset(digest) else ""


def compare_with_registry(document: bytes, filename: str, shasum: str) -> TerraformDecision:
    """Compare the list with the registry's `shasum` (64 hexadecimal digits) as Terraform does."""
    listed_digest = _find_listed_digest(document, filename)
    if listed_digest is None:
        return build_refusal("sums_missing", name=quote(filename))
    digest, error, crashes = decode_hex(listed_digest)
    # Go's hex.Decode() writes into an array of 32 bytes, so Terraform panics at more digits instead of refusing them.
    if crashes:
        return build_refusal("crash_long")
    if error:
        return build_refusal("sums_hash", text=quote(listed_digest), why=error)
    if digest.hex() != shasum.lower():
        return build_refusal("sums_other", found=digest.hex(), expected=shasum.lower())
    return ACCEPT_DECISION


def predict_terraform_parsing(document: bytes) -> TerraformDecision:
    """Predict how Terraform reads the list for its lock file after it accepted the rest. A blank line crashes it."""
    for line in _scan_lines(document):
        parts = split_words(line)
        if not parts:
            return build_refusal("crash_blank")
        # Terraform stops at the first line that it can't parse and never reaches a blank line below.
        if len(parts) < 2 or len(parts[0]) != 64 or not HEX_DIGITS.issuperset(parts[0]):
            return ACCEPT_DECISION
    return ACCEPT_DECISION


def _scan_lines(document: bytes) -> list[bytes]:
    """Return the lines like Go's scanner: up to one of 64 KiB, and none after a last line break."""
    every = document.split(b"\n")
    if every[-1] == b"":
        every.pop()
    long = next((at for at, line in enumerate(every) if len(line) >= 65536), len(every))
    return every[:long]


def list_remarks(document: bytes, expected: Iterable[str] = ()) -> tuple[Remark, ...]:
    """Return remarks on the list, independent of Terraform. `expected` lists the required names."""
    # The lines of a list that fails as a whole would only repeat the failure.
    whole = _check_document(document)
    if whole and whole[-1].outcome == "fail":
        return tuple(whole)
    entries = parse_lines(document)
    return (*whole, *_check_lines(document), *_check_hashes(entries), *_check_names(entries, expected))


def _check_document(document: bytes) -> list[Remark]:
    if len(document) > MAX_BYTES or document.count(b"\n") > MAX_LINES:
        return [build_remark("too_long", lines=MAX_LINES, size=MAX_BYTES // 1024)]
    encoding = next((name for mark, name in MARKS if document.startswith(mark)), "")
    if encoding:
        return [build_remark("encoding", encoding=encoding)]
    if b"\0" in document:
        return [build_remark("nul")]
    if not parse_lines(document):
        return [build_remark("no_list" if document.strip() else "empty_list")]
    return select_remarks({"crlf": b"\r" in document, "no_newline": not document.endswith(b"\n")})


def _check_lines(document: bytes) -> list[Remark]:
    body = document.replace(b"\r\n", b"\n").removesuffix(b"\n").split(b"\n")
    counts = {len(split_words(line)) for line in body if line.strip()}
    pairs = [(line, parts) for line, parts in zip(body, map(split_words, body), strict=True) if len(parts) == 2]
    plain = [line for line, (digest, name) in pairs if len(digest) == 64 and not name.startswith(b"*")]
    conditions = {
        "blank_line": not all(line.strip() for line in body),
        "no_name": 1 in counts,
        "more_words": max(counts, default=0) > 2,
        "spacing": not all(WELL_SPACED_LINE.fullmatch(line) for line in plain),
    }
    return select_remarks(conditions)


def _check_hashes(entries: list[Line]) -> list[Remark]:
    short = next((line.number for line in entries if len(line.digest) != 64), 0)
    hex_digests = [line.digest for line in entries if HEX_DIGITS.issuperset(line.digest)]
    conditions = {
        "length": short,
        "no_hex": len(hex_digests) < len(entries),
        "upper_case": any(digest != digest.lower() for digest in hex_digests),
    }
    return select_remarks(conditions, number=short)


def _check_names(entries: list[Line], expected: Iterable[str]) -> list[Remark]:
    names = [line.name.decode("utf-8", "replace") for line in entries]
    conditions = {
        "binary_mode": any(name.startswith("*") for name in names),
        "folder": any("/" in name or "\\" in name for name in names),
    }
    findings = select_remarks(conditions)
    twice = [name for name, count in Counter(names).items() if count > 1]
    for name in twice[:3]:
        digests = {line.digest.lower() for line in entries if line.name.decode("utf-8", "replace") == name}
        findings.append(build_remark("contradiction" if len(digests) > 1 else "twice", name=name))
    missing = [name for name in expected if name not in names]
    if missing:
        findings.append(build_remark("missing", names=", ".join(missing[:5])))
    return findings
