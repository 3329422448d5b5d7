"""People and companies of the demo world, from data/people.yaml. All people have the same password."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field as Key
from pydantic import TypeAdapter

from portal.core.content_files import Content, load_content

PASSWORD = "look-around-the-portal"  # noqa: S105 - a demo's password is meant to be known


@dataclass(frozen=True, slots=True)
class DemoPerson(Content):
    """Somebody who can sign in. `company` and `role` are blank for people of the program."""

    name: str
    email: str
    company: str = ""
    role: Literal["", "owner", "editor", "viewer"] = ""
    reviewer: Annotated[bool, Key(alias="is_reviewer")] = False
    staff: Annotated[bool, Key(alias="is_staff")] = False
    zone: Annotated[str, Key(alias="time_zone")] = "UTC"

    @property
    def role_label(self) -> str:
        if self.staff:
            return "staff"
        return "reviewer" if self.reviewer else f"{self.role} of {self.company}"


@dataclass(frozen=True, slots=True)
class DemoCompany(Content):
    """A company: name, mail domain, website, and whether an Alliances manager looks after it."""

    name: str
    domain: str
    has_manager: bool = True


@dataclass(frozen=True, slots=True)
class Cast(Content):
    """The content of people.yaml."""

    companies: tuple[DemoCompany, ...]
    people: tuple[DemoPerson, ...]


_CAST = load_content(Path(__file__).parent / "data" / "people.yaml", TypeAdapter(Cast))
COMPANIES = _CAST.companies
PEOPLE = _CAST.people

SIGN_INS = tuple(
    (p.email, PASSWORD, p.role_label)
    for p in PEOPLE
    if p.name.split()[0] in {"Alice", "Bob", "Vera", "Charlie", "Rita", "Rob", "Sam"}
)
