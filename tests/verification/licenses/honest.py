"""Honest license files, composed from holders, notices, titles and layouts that maintainers use.

The lists are in corpora/. Every holder, notice, title and layout occurs; the rest is random, from the seed.
"""

import random
import re
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path

from tests.verification.licenses.corpus import build_policy
from verification.licenses.templates import VARIANTS, read_text

CORPORA = Path(__file__).with_name("corpora")
COUNT = 600
LICENSE_NAMES = {
    "MIT": "MIT License",
    "BSD-3-Clause": "BSD 3-Clause License",
    "Apache-2.0": "Apache License, Version 2.0",
    "MPL-2.0": "Mozilla Public License Version 2.0",
    "BSL-1.0": "Boost Software License 1.0",
    "EPL-1.0": "Eclipse Public License 1.0",
    "CDDL-1.0": "Common Development and Distribution License 1.0",
}
COMMON_LICENSES = (
    "MIT",
    "MIT",
    "MPL-2.0",
    "Apache-2.0",
    "BSD-3-Clause",
    "MPL-2.0",
    "MIT",
    "BSL-1.0",
    "EPL-1.0",
    "CDDL-1.0",
)


@dataclass(frozen=True, slots=True)
class Sample:
    """A license file of a corpus; `name` says what it is made of."""

    name: str
    text: str
    program: str = "terraform-provider"
    encoding: str = "utf-8"

    @property
    def raw(self) -> bytes:
        return self.text.encode(self.encoding)


def read_entries(path: Path) -> list[str]:
    """Return the lines of a list after its heading, with escaped line breaks replaced."""
    return [line.replace("\\n", "\n") for line in path.read_text(encoding="utf-8").splitlines()[1:]]


def get_license_body(id: str) -> str:
    """Return the text of a license without title and notice."""
    text = read_text(f"{id}.txt")
    text = text.replace("[yyyy] [name of copyright owner]", "2021 Jane Doe")
    return text[text.index(VARIANTS.texts[id].start) :]


LAYOUTS: dict[str, Callable[[str], str]] = {
    "plain": lambda text: text,
    "CRLF": lambda text: text.replace("\n", "\r\n"),
    "byte order mark": lambda text: "\ufeff" + text,
    "indented": lambda text: textwrap.indent(text, "    "),
    "wrapped at 60": lambda text: rewrap(text, 60),
    "wrapped at 100": lambda text: rewrap(text, 100),
    "one line a paragraph": lambda text: rewrap(text, 100_000),
    "comment": lambda text: "".join(f"// {line}\n" for line in text.splitlines()),
    "hashes": lambda text: "".join(f"# {line}\n" for line in text.splitlines()),
    "fence": lambda text: f"```\n{text}\n```\n",
    "trailing space": lambda text: text.replace("\n", "  \n"),
    "blank lines": lambda text: "\n\n" + text + "\n\n\n",
}


def rewrap(text: str, width: int) -> str:
    """Wrap the paragraphs of the license at another width; the lines above it stay."""
    head, mark, rest = text.partition("\n\n\x00")
    paragraphs = (
        textwrap.fill(p, width, break_long_words=False, break_on_hyphens=False) for p in re.split(r"\n\s*\n", rest)
    )
    return head + "\n\n" + "\n\n".join(paragraphs) if mark else text


def generate_samples(seed: int = 11, count: int = COUNT, corpora: Path = CORPORA) -> Iterator[Sample]:
    """Yield `count` honest files; each entry of a list is used before any is used again."""
    draw = random.Random(seed)
    holders, notices = (read_entries(corpora / f"{name}.txt") for name in ("holders", "notices"))
    titles = read_entries(corpora / "titles.txt")
    lists = [
        cycle(draw.sample(values, len(values)))
        for values in (holders, notices, titles, list(LAYOUTS), list(COMMON_LICENSES))
    ]
    rare = cycle(sorted(build_policy().allow))
    for number in range(count):
        holder, notice, title, layout, id = (next(values) for values in lists)
        id = next(rare) if number % 12 == 0 else id
        yield build_sample(holder, notice, title, layout, id, draw)


def build_sample(holder: str, notice: str, title: str, layout: str, id: str, draw: random.Random) -> Sample:
    year = draw.randint(2004, 2022)
    later = draw.randint(year + 1, 2026)
    notice_line = notice.format(
        h=holder, y=year, y2=later, r=draw.choice((f"{year}-{later}", f"{year}–{later}", f"{year}, {later}"))
    )
    name = LICENSE_NAMES.get(id, "")
    heading = title.format(n=name, i=id) if name or "{n}" not in title else ""
    text = LAYOUTS[layout](f"{heading}\n\n{notice_line}\n\n\x00{get_license_body(id)}").replace("\x00", "")
    return Sample(f"{id}, {layout}: {heading!r} {notice_line!r}", text.lstrip("\n"))
