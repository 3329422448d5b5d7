"""Permitted differences between a copy of a license and its published text, from data/variants.yaml."""

from dataclasses import dataclass
from pathlib import Path

from portal.core.content_files import Content, load_content


@dataclass(frozen=True, slots=True)
class Vary(Content):
    """Options that can replace `fragment` (up to and including `to`, if set). The option "" omits it."""

    fragment: str
    options: tuple[str, ...] = ("",)
    to: str = ""


@dataclass(frozen=True, slots=True)
class Form(Content):
    """Part of a license text that must match: from `start` to `end`, without the titles before it.

    `loose`: paragraphs with another letter, or none, in some editions of the text.
    """

    start: str
    end: str = ""
    vary: tuple[Vary, ...] = ()
    loose: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class VariantFile(Content):
    """Content of variants.yaml, whose first lines describe the four parts."""

    groups: dict[str, tuple[str, ...]]
    texts: dict[str, Form]
    notices: dict[str, tuple[Form, ...]]
    beside: dict[str, tuple[Form, ...]]


VARIANTS = load_content(Path(__file__).with_name("data") / "variants.yaml", VariantFile)
