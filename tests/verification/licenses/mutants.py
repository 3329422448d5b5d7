"""Generator of small changes to license texts."""

import random
import re
from collections.abc import Iterator

from tests.verification.licenses.corpus import build_policy, fill_license_text
from tests.verification.licenses.sentences import RESTRICTIONS
from verification.licenses.templates import VARIANTS

WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
KINDS = ("sentence", "swap", "remove", "insert", "replace")
TITLE = re.compile(r"(?i)(?:the )?licen[cs]es?[.:]?")  # a heading of this word alone adds no terms


def have_same_letters(one: str, other: str) -> bool:
    """Return whether both have the same letters in the same order."""
    return re.sub(r"[\W_]+", "", one).lower() == re.sub(r"[\W_]+", "", other).lower()


def draw_mutants(seed: int, count: int) -> Iterator[tuple[str, str, str]]:
    """Yield mutants of allowed texts: (SPDX ID, kind, changed text)."""
    draw = random.Random(seed)
    ids = sorted(build_policy().allow)
    for _ in range(count):
        id = draw.choice(ids)
        text = fill_license_text(id)
        yield id, *draw_mutant(text, text.index(VARIANTS.texts[id].start), draw)


def draw_mutant(text: str, body: int, draw: random.Random) -> tuple[str, str]:
    """Return (kind, changed text). Sentences go anywhere; other changes after `body`, where the terms begin."""
    while True:
        kind = draw.choice(KINDS)
        mutated_text = add_sentence(text, draw) if kind == "sentence" else change_words(text, body, kind, draw)
        if not have_same_letters(text, mutated_text):
            return kind, mutated_text


def add_sentence(text: str, draw: random.Random) -> str:
    paragraphs = re.split(r"\n\s*\n", text)
    paragraphs.insert(draw.randint(0, len(paragraphs)), draw.choice(RESTRICTIONS))
    return "\n\n".join(paragraphs)


def change_words(text: str, body: int, kind: str, draw: random.Random) -> str:
    words = [word for word in WORD.finditer(text) if word.start() >= body]
    at = draw.randrange(len(words) - 1)
    one = words[at]
    two = words[at + 1]
    if kind == "swap":
        return text[: one.start()] + two[0] + text[one.end() : two.start()] + one[0] + text[two.end() :]
    if kind == "remove":
        return text[: one.start()] + text[one.end() :]
    fragment = draw.choice(RESTRICTIONS).split()
    start = draw.randrange(len(fragment))
    insertion = " ".join(fragment[start : start + draw.randint(1, 5)])
    if TITLE.fullmatch(insertion):
        return text
    return text[: one.start()] + insertion + (" " + text[one.start() :] if kind == "insert" else text[one.end() :])
