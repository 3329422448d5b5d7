"""Random changes of a release: its signature, keys, checksums and archive."""

import base64
import random
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache

from pysequoia import CipherSuite, SignatureMode, Tsk, sign

from tests.conform.signature_cases import Case, format_sums
from verification.releases.artifacts.armor import compute_crc24

Mutation = Callable[[random.Random, Case, Sequence[Case]], Case]
UNSIGNED = b"to be signed"  # by `finish_case`, because a signature takes long and most mutated cases aren't used
SPACES = (b" ", b"  ", b"\t", b" *", b"\xc2\xa0", b"\r", b"\x0b", b"\xe2\x80\x83", b"")


def mutate(rng: random.Random, base: Case, others: Sequence[Case]) -> Case:
    """Return a changed copy of a case, which `finish_case` may have to sign. The name says how it was changed."""
    mutation = rng.choice(MUTATIONS)
    mutated_case = mutation(rng, base, others)
    return replace(mutated_case, name=f"{base.name} {mutation.__name__.strip('_')}")


def change_bytes(rng: random.Random, data: bytes) -> bytes:
    """Flip, replace, insert, delete, double or cut bytes, once or a few times."""
    mutated_data = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        at = rng.randrange(len(mutated_data) + 1)
        match rng.randrange(7):
            case 0 | 1 if at < len(mutated_data):
                mutated_data[at] ^= 1 << rng.randrange(8)
            case 2 if at < len(mutated_data):
                mutated_data[at] = rng.choice((0, 1, 0x7F, 0x80, 0xFF, rng.randrange(256)))
            case 3:
                mutated_data[at:at] = rng.randbytes(rng.choice((1, 1, 2, 8)))
            case 4:
                del mutated_data[at : at + rng.choice((1, 1, 2, 8))]
            case 5:
                mutated_data[at:at] = mutated_data[at : at + rng.choice((1, 4, 16))]
            case _ if rng.random() < 0.3:
                del mutated_data[at:]
    return bytes(mutated_data)


def _signature(rng: random.Random, case: Case, _: Sequence[Case]) -> Case:
    return replace(case, signature=change_bytes(rng, case.signature))


def _signature_head(rng: random.Random, case: Case, _: Sequence[Case]) -> Case:
    """Change the part with the most structure: headers, lengths and subpackets."""
    cut = rng.choice((4, 12, 40, 60))
    return replace(case, signature=change_bytes(rng, case.signature[:cut]) + case.signature[cut:])


def _signature_sequence(rng: random.Random, case: Case, others: Sequence[Case]) -> Case:
    """Put other packets or bytes around the signature."""
    other = rng.choice(others).signature
    parts = [case.signature, other, rng.randbytes(rng.randrange(1, 20)), bytes([0xC0 | rng.randrange(64), 1, 97])]
    around = rng.sample(parts[1:], rng.choice((1, 2)))
    around.insert(rng.randrange(len(around) + 1), parts[0])
    return replace(case, signature=b"".join(around))


def _signature_of_another(rng: random.Random, case: Case, others: Sequence[Case]) -> Case:
    return replace(case, signature=rng.choice(others).signature)


def _signature_armored(rng: random.Random, case: Case, _: Sequence[Case]) -> Case:
    return replace(case, signature=add_armor(case.signature, "PGP SIGNATURE").encode())


def _keys_sequence(rng: random.Random, case: Case, others: Sequence[Case]) -> Case:
    """List more keys, in any order, up to more than twenty."""
    keys = [key for other in rng.choices(others, k=rng.choice((1, 2, 3, 25))) for key in other.keys[:1]]
    keys[rng.randrange(len(keys) + 1) : 0] = case.keys if rng.random() < 0.9 else ()
    if rng.random() < 0.2:
        keys[rng.randrange(len(keys)) : 0] = [rng.choice(("", "no key", keys[0][:200], keys[0].replace("=", "", 1)))]
    return replace(case, keys=tuple(keys))


def _key_packets(rng: random.Random, case: Case, _: Sequence[Case]) -> Case:
    """Change the bytes inside the armor of the key, and give them their checksum."""
    return replace(case, keys=(add_armor(change_bytes(rng, remove_armor(case.keys[0]))), *case.keys[1:]))


def _key_flip(rng: random.Random, case: Case, _: Sequence[Case]) -> Case:
    """Flip one bit: the change that most often leaves a key readable."""
    data = bytearray(remove_armor(case.keys[0]))
    data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    return replace(case, keys=(add_armor(bytes(data)), *case.keys[1:]))


def _key_blocks(rng: random.Random, case: Case, others: Sequence[Case]) -> Case:
    """Put two keys into one block, or two blocks into one text."""
    keys = [case.keys[0], rng.choice(others).keys[0]]
    rng.shuffle(keys)
    joined_keys = add_armor(b"".join(map(remove_armor, keys))) if rng.random() < 0.5 else "".join(keys)
    return replace(case, keys=(joined_keys, *case.keys[1:]))


def _key_text(rng: random.Random, case: Case, _: Sequence[Case]) -> Case:
    """Change the characters of the armor."""
    text = change_bytes(rng, case.keys[0].encode()).decode("ascii", "replace")
    return replace(case, keys=(text, *case.keys[1:]))


def _key_lines(rng: random.Random, case: Case, _: Sequence[Case]) -> Case:
    """Change the lines of the armor: headers, blank lines, checksum, ends, order."""
    lines = rng.choice(LINE_CHANGES)(rng, case.keys[0].split("\n"))
    return replace(case, keys=("\n".join(lines), *case.keys[1:]))


def _insert_line(rng: random.Random, lines: list[str]) -> list[str]:
    at = rng.choice((0, 1, rng.randrange(len(lines))))
    return [*lines[:at], rng.choice(("", " ", "Version: 1", "Comment:", "text", "x" * 120)), *lines[at:]]


def _delete_line(rng: random.Random, lines: list[str]) -> list[str]:
    at = rng.randrange(len(lines))
    return lines[:at] + lines[at + 1 :]


def _add_space(rng: random.Random, lines: list[str]) -> list[str]:
    at = rng.randrange(len(lines))
    mutated_line = rng.choice(("", " ", "\t")) + lines[at] + rng.choice((" ", "\r", "\t"))
    return [*lines[:at], mutated_line, *lines[at + 1 :]]


def _change_checksum(rng: random.Random, lines: list[str]) -> list[str]:
    mutated_line = rng.choice(("=AAAA", "=A", "=AA==", "=!!!!", ""))
    return [re.sub("^=....$", mutated_line, line) for line in lines]


def _change_kind(rng: random.Random, lines: list[str]) -> list[str]:
    kind = rng.choice(("PGP MESSAGE", "PGP SIGNATURE", "PGP PRIVATE KEY BLOCK", "PGP PUBLIC KEY"))
    return [line.replace("PGP PUBLIC KEY BLOCK", kind) for line in lines]


def _join_lines(rng: random.Random, lines: list[str]) -> list[str]:
    at = rng.randrange(len(lines))
    return [*lines[:at], "".join(lines[at : at + 2]), *lines[at + 2 :]]


def _split_line(rng: random.Random, lines: list[str]) -> list[str]:
    at = rng.randrange(len(lines))
    return [*lines[:at], lines[at][:20], lines[at][20:], *lines[at + 1 :]]


def _end_lines_as_windows(_: random.Random, lines: list[str]) -> list[str]:
    return [f"{line}\r" for line in lines]


LINE_CHANGES = (
    _insert_line,
    _delete_line,
    _add_space,
    _change_checksum,
    _change_kind,
    _join_lines,
    _split_line,
    _end_lines_as_windows,
)


def _sums_after(rng: random.Random, case: Case, _: Sequence[Case]) -> Case:
    """Change the checksums after signing."""
    return replace(case, sums=change_bytes(rng, case.sums))


def _sums_before(rng: random.Random, case: Case, _: Sequence[Case]) -> Case:
    """Change the checksums before they are signed."""
    return replace(case, sums=_change_sums(rng, case.sums), signature=UNSIGNED)


def _change_sums(rng: random.Random, sums: bytes) -> bytes:
    digest, name = sums.split()
    match rng.randrange(8):
        case 0:
            return change_bytes(rng, sums)
        case 1:
            return rng.choice((digest.upper(), digest.title())) + b"  " + name + b"\n"
        case 2:
            return digest + rng.choice(SPACES) + rng.choice((b"./", b"*", b"/", b"")) + name + b"\n"
        case 3:
            other = bytes(rng.choice(b"0123456789abcdef") for _ in range(rng.choice((62, 63, 64, 64, 66))))
            lines = [sums, other + b"  " + rng.choice((name, b"other.zip")) + b"\n"]
            rng.shuffle(lines)
            return b"".join(lines)
        case 4:
            return rng.choice((b"\n", b"\r\n", b"# text\n", b"word\n", b"\xef\xbb\xbf")) + sums
        case 5:
            return sums + rng.choice((b"\n", b" \n", b"word\n", b"\n\n", digest, b"# text"))
        case 6:
            return digest[: rng.choice((0, 1, 63))] + b"  " + name
        case _:
            return sums.replace(b"\n", rng.choice((b"", b"\r\n", b" more\n", b"\x00\n")))


def _archive_after(rng: random.Random, case: Case, _: Sequence[Case]) -> Case:
    return replace(case, archive=change_bytes(rng, case.archive))


def _archive_before(rng: random.Random, case: Case, _: Sequence[Case]) -> Case:
    """Change the archive before its checksum is listed and signed."""
    archive = change_bytes(rng, case.archive)
    return replace(case, archive=archive, sums=format_sums(archive), signature=UNSIGNED)


@cache
def _signer() -> Tsk:
    return Tsk.generate("Fuzz <fuzz@acme.example>", cipher_suite=CipherSuite.RSA2k)


def sign_case(case: Case, sums: bytes) -> Case:
    """Return the case with these checksums, signed by a key of its own."""
    signature = sign(_signer().signer(), sums, mode=SignatureMode.DETACHED, armor=False)
    return replace(case, sums=sums, signature=signature, keys=(str(_signer().extract_certificate()),))


def finish_case(case: Case) -> Case:
    """Return the case with a signature."""
    return sign_case(case, case.sums) if case.signature == UNSIGNED else case


def remove_armor(text: str) -> bytes:
    """Return the bytes of a well-formed block."""
    body = text.replace("\r", "").split("\n\n", 1)[1].split("\n-----END")[0]
    return base64.b64decode("".join(line for line in body.split("\n") if not line.startswith("=")))


def add_armor(data: bytes, kind: str = "PGP PUBLIC KEY BLOCK") -> str:
    encoded = base64.b64encode(data).decode()
    lines = [encoded[at : at + 64] for at in range(0, len(encoded), 64)]
    checksum = base64.b64encode((compute_crc24(data) & 0xFFFFFF).to_bytes(3)).decode()
    return "\n".join((f"-----BEGIN {kind}-----", "", *lines, f"={checksum}", f"-----END {kind}-----", ""))


MUTATIONS: tuple[Mutation, ...] = (
    _signature,
    _signature,
    _signature_head,
    _signature_head,
    _signature_sequence,
    _signature_of_another,
    _signature_armored,
    _keys_sequence,
    _key_packets,
    _key_packets,
    _key_flip,
    _key_flip,
    _key_blocks,
    _key_text,
    _key_lines,
    _key_lines,
    _sums_after,
    _sums_before,
    _sums_before,
    _archive_after,
    _archive_before,
    _archive_before,
)
