"""Rules for the members of an archive: their names, and the headers in front of their bytes."""

from collections.abc import Callable, Iterator

from verification.releases.artifacts import zip_directory
from verification.releases.artifacts.remarks import Remark, fail, warn
from verification.releases.artifacts.zip_directory import DESCRIBED_LATER, ENCRYPTED, UTF_8, Member

MAX_NAME_BYTES = 255
ARCHIVES = (".zip", ".tar", ".gz", ".tgz", ".xz", ".bz2", ".7z", ".jar")
KINDS = (0, zip_directory.FILE, zip_directory.FOLDER, zip_directory.SYMLINK)
Rule = tuple[Remark, Callable[[Member], bool]]


def split_name(member: Member) -> list[str]:
    """Split a name into its folders and its last part, without the closing slash of a folder."""
    split = member.name.replace("\\", "/").split("/")
    return split[:-1] if member.is_folder else split


def is_odd(part: str) -> bool:
    return part in {"", "."} or part != part.strip(" ") or (part.endswith(".") and part != "..")


def differs_in_size(member: Member) -> bool:
    """Return whether the sizes differ, unless the header in front announces that they follow the bytes."""
    _, flags, _, *local = member.local
    later = bool(flags & DESCRIBED_LATER) and not any(local)
    return not later and local != [member.crc, member.packed_size, member.size]


def differs_in_name(member: Member) -> bool:
    name, flags, method, *_ = member.local
    return (name, method) != (member.raw_name, member.method) or bool((flags ^ member.flags) & ~UTF_8)


NAMES: tuple[Rule, ...] = (
    (fail("traversal", "A name points outside the folder (“..”)."), lambda m: ".." in split_name(m)),
    (
        fail("absolute", "A name is an absolute path."),
        lambda m: m.name.startswith(("/", "\\")) or m.name[1:2] == ":",
    ),
    (fail("backslash", "A name contains a backslash."), lambda m: "\\" in m.name),
    (
        fail("name_length", f"A name is empty or longer than {MAX_NAME_BYTES} bytes."),
        lambda m: not 0 < len(m.raw_name) <= MAX_NAME_BYTES,
    ),
    (
        fail("control", "A name contains unprintable characters."),
        lambda m: not m.name.isprintable() or "\ufffd" in m.name,
    ),
    (
        fail("odd_name", "A name has an empty part, or one that ends in a space or a dot."),
        lambda m: any(map(is_odd, split_name(m))),
    ),
)
HEADS: tuple[Rule, ...] = (
    (fail("encrypted", "A member is encrypted."), lambda m: bool((m.flags | m.local[1]) & ENCRYPTED)),
    (
        fail("method", "A member uses an unsupported compression method. Use deflate."),
        lambda m: m.method not in (zip_directory.STORED, zip_directory.DEFLATED),
    ),
    (
        fail("headers_differ", "The local header of a member contradicts the central directory."),
        differs_in_name,
    ),
    (
        fail("sizes_differ", "The size of a member in its local header contradicts the central directory."),
        differs_in_size,
    ),
    (
        fail("stored_size", "An uncompressed member has two different sizes."),
        lambda m: m.method == zip_directory.STORED and m.packed_size != m.size,
    ),
    (fail("symlink", "A member is a link."), lambda m: m.kind == zip_directory.SYMLINK),
    (fail("device", "A member is a device, a pipe or a socket."), lambda m: m.kind not in KINDS),
    (
        fail("kind", "The name and the mode of a member disagree about whether it is a folder."),
        lambda m: (
            m.kind in (zip_directory.FILE, zip_directory.FOLDER) and (m.kind == zip_directory.FOLDER) != m.is_folder
        ),
    ),
    (fail("set_user", "A member has the setuid or setgid bit."), lambda m: bool(m.mode & 0o7000)),
    (
        warn("nested", "The archive contains another archive, which we did not open."),
        lambda m: m.name.lower().endswith(ARCHIVES),
    ),
)


def check_names(members: tuple[Member, ...]) -> Iterator[Remark]:
    """Yield the faults of the names, each by itself and all together."""
    yield from _apply(NAMES, members)
    names = [member.name.rstrip("/") for member in members]
    if len(set(names)) != len(names):
        yield fail("duplicate", "Two members have the same name.")
    elif len({name.casefold() for name in names}) != len(names):
        yield fail("same_on_windows", "Two names differ only in case.")
    # members with longer names have already failed
    short = [split_name(member) for member in members if len(member.raw_name) <= MAX_NAME_BYTES]
    folders = {"/".join(path[:depth]) for path in short for depth in range(1, len(path))}
    if any(not member.is_folder and member.name in folders for member in members):
        yield fail("file_and_folder", "A name is both a file and a folder.")


def check_headers(members: tuple[Member, ...]) -> Iterator[Remark]:
    """Yield the faults of the headers."""
    yield from _apply(HEADS, members)


def _apply(rules: tuple[Rule, ...], members: tuple[Member, ...]) -> Iterator[Remark]:
    return (remark for remark, breaks in rules if any(breaks(member) for member in members))
