"""Would a name pass for a badge? Plain Python: what partners may be called, and how their names stand beside ours.

Tiers and standings are the program's words. A name may hold one of them ("Verified Permissions"), but not as a claim:
alone, behind a bar, or beside the name of a product. Signs like a tick are in no name.
"""

import re
import unicodedata
from collections.abc import Iterable

from django.utils.translation import gettext_noop

from portal.core.name_matching import skeleton

REFUSAL = gettext_noop(
    "This name reads like a badge. Leave out signs such as ticks and stars, and words such as “verified” beside a "
    "product’s name: the badge says it for you."
)
SIGNS = frozenset({"So", "Sk", "Cn", "Co"})  # pictures, letters in circles, what no font knows
UNSEEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
JOINERS = frozenset("\u200c\u200d")  # needed within words of several scripts
FIT = frozenset("®™©°№^`´¨¯")
TICKS = frozenset("√∨⩗•●■★☆✓✔")
BARS = re.compile(r"[|:/\\()\[\]{}<>·–—-]+")
WORDS = re.compile(r"[\W_]+")


def _key(word: str) -> str:
    return skeleton(word).replace("i", "l").replace("3", "e")


CLAIMS = frozenset(
    map(
        _key,
        ("accredited", "approved", "authorised", "authorized", "badge", "certified", "endorsed", "official",
         "officially", "partner", "premier", "validated", "verified"),
    )
)  # fmt: skip
WHOSE = frozenset(map(_key, ("consul", "hashicorp", "hcp", "nomad", "packer", "registry", "terraform", "vault")))
FILLING = frozenset(map(_key, ("a", "an", "and", "by", "for", "in", "is", "of", "the", "integration", "provider")))


def undressed(name: str) -> str:
    """A name as it stands beside what the program says: plain letters, without signs and what cannot be seen."""
    plain = "".join(" " if _is_dress(char) else char if char in FIT else _plain(char) for char in name)
    return " ".join(unicodedata.normalize("NFC", plain).split())[:120] or "Unnamed"


def imitates(name: str) -> bool:
    """Whether a name would pass for a badge."""
    if any(_is_dress(char) for char in name):
        return True
    text = unicodedata.normalize("NFKC", name)
    parts = [_words(part) for part in BARS.split(text)]
    return any(map(_is_claim, filter(None, parts))) or _is_claim(_words(text)) or _beside_a_product(_words(text))


def _beside_a_product(words: list[str]) -> bool:
    return not CLAIMS.isdisjoint(words) and not WHOSE.isdisjoint(words)


def _is_claim(words: list[str]) -> bool:
    """Whether nothing is said but that something is verified."""
    return any(word in CLAIMS for word in words) and all(word in CLAIMS | FILLING for word in words)


def _words(text: str) -> list[str]:
    """The words in a form in which look-alikes are equal; letters that stand alone in a row are one word."""
    words = [word for word in WORDS.split(text) if word]
    return [key for key in map(_key, _joined(words)) if key]


def _joined(words: Iterable[str]) -> Iterable[str]:
    spelt = ""
    for word in words:
        if len(word) == 1:
            spelt += word
            continue
        if spelt:
            yield spelt
            spelt = ""
        yield word
    if spelt:
        yield spelt


def _plain(char: str) -> str:
    return unicodedata.normalize("NFKC", char)


def _is_dress(char: str) -> bool:
    if char in JOINERS or char in FIT:
        return False
    return char in TICKS or unicodedata.category(char) in SIGNS | UNSEEN or "\ufe00" <= char <= "\ufe0f"
