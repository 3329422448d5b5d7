"""Places where an honest copy of a license may differ from its published text, as data/variants.yaml lists them."""

from dataclasses import dataclass
from pathlib import Path

import yaml

from portal.core.value_types import JsonObject


@dataclass(frozen=True, slots=True)
class Vary:
    """Instead of `fragment` (up to and with `to`, if given) the text may hold one of `options`. "" leaves it out."""

    fragment: str
    options: tuple[str, ...] = ("",)
    to: str = ""


@dataclass(frozen=True, slots=True)
class Form:
    """Form in which the text of a license is read: from `start` to `end`; titles before are known elsewhere.

    `loose`: paragraphs whose letter is another one, or none, in some editions of the text.
    """

    start: str
    end: str = ""
    vary: tuple[Vary, ...] = ()
    loose: tuple[str, ...] = ()


def read_form(entry: JsonObject) -> Form:
    """Return the form that an entry of the file describes."""
    vary = tuple(
        Vary(each["fragment"], tuple(each.get("options", ("",))), each.get("to", "")) for each in entry.get("vary", ())
    )
    return Form(entry["start"], entry.get("end", ""), vary, tuple(entry.get("loose", ())))


_DATA = yaml.load((Path(__file__).with_name("data") / "variants.yaml").read_bytes(), Loader=yaml.CSafeLoader)
GROUPS: dict[str, tuple[str, ...]] = {name: tuple(phrases) for name, phrases in _DATA["groups"].items()}
FORMS: dict[str, Form] = {id: read_form(entry) for id, entry in _DATA["texts"].items()}
NOTICES: dict[str, tuple[Form, ...]] = {id: tuple(map(read_form, each)) for id, each in _DATA["notices"].items()}
BESIDE: dict[str, tuple[Form, ...]] = {id: tuple(map(read_form, each)) for id, each in _DATA["beside"].items()}
