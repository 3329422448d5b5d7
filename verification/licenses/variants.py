"""Places where an honest copy of a license may differ from its published text, as data/variants.yaml lists them."""

from dataclasses import dataclass
from pathlib import Path

from portal.core.content_files import Content, load_content


@dataclass(frozen=True, slots=True)
class Vary(Content):
    """Instead of `fragment` (up to and with `to`, if given) the text may hold one of `options`. "" leaves it out."""

    fragment: str
    options: tuple[str, ...] = ("",)
    to: str = ""


@dataclass(frozen=True, slots=True)
class Form(Content):
    """Form in which the text of a license is read: from `start` to `end`; titles before are known elsewhere.

    `loose`: paragraphs whose letter is another one, or none, in some editions of the text.
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
