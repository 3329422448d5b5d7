"""Whole heads of license files, honest and with terms, one a line; written before the rules that decide them.

They complete the composed corpora: here each title, notice and layout stands as one maintainer or attacker wrote it.
"""

import re
from collections.abc import Iterator
from itertools import cycle

from tests.verification.licenses.honest import CORPORA, LAYOUTS, Sample, get_license_body, read_entries

FOLDER = CORPORA / "heads"
PLACES = {
    "H": "MIT License\n\nCopyright (c) 2021 {}\n\n@MIT",
    "T": "{}\n\nMIT License\n\nCopyright (c) 2021 Jane Doe\n\n@MIT",
    "E": "MIT License\n\nCopyright (c) 2021 Jane Doe\n\n@MIT\n\n{}\n",
    "A": "@Apache-2.0:{}",
}
PLAIN_LAYOUTS = ("plain", "CRLF", "byte order mark", "trailing space", "indented")
BODY = re.compile(r"^@([\w.-]+)(?::(.+))?$", re.M)
ESCAPE = re.compile(r"\\u([0-9a-f]{4})")  # of characters that editors hide or that look like others


def generate_honest_samples() -> Iterator[Sample]:
    """Honest files, each in one of the layouts that keep lines."""
    for head, layout in zip(read_entries(FOLDER / "honest.txt"), cycle(PLAIN_LAYOUTS)):
        yield Sample(f"{layout}: {head!r}", LAYOUTS[layout](fill(head)))


def generate_adversarial_samples() -> Iterator[Sample]:
    """Files with terms at one place."""
    for line in read_entries(FOLDER / "adversarial.txt"):
        place, _, terms = line.partition(":")
        yield Sample(line, fill(PLACES[place].replace("{}", terms)))


def fill(head: str) -> str:
    """Return the file of a head: its escapes are characters, and the text of its license is added."""
    return BODY.sub(
        lambda match: fill_license_text(match[1], match[2]), ESCAPE.sub(lambda match: chr(int(match[1], 16)), head)
    )


def fill_license_text(id: str, filled: str | None) -> str:
    """Return a license's text with the notice of its appendix, or the name in its third clause, filled in."""
    text = get_license_body(id)
    if not filled:
        return text
    place = "Copyright 2021 Jane Doe" if id == "Apache-2.0" else "the copyright holder nor"
    assert place in text
    return text.replace(place, filled if id == "Apache-2.0" else f"{filled} nor", 1)
