"""People and partners of the demo world, from data/people.yaml. All people have the same password."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import TypeAdapter

from portal.core.content_files import Content, load_content

PASSWORD = "look-around-the-portal"  # noqa: S105 - a demo's password is meant to be known


@dataclass(frozen=True, slots=True)
class DemoPerson(Content):
    """Person who can sign in. Program staff has no company and no role."""

    name: str
    email: str
    company: str = ""
    role: Literal["", "owner", "editor", "viewer"] = ""
    is_reviewer: bool = False
    is_staff: bool = False
    time_zone: str = "UTC"

    @property
    def role_label(self) -> str:
        if self.is_staff:
            return "staff"
        return "reviewer" if self.is_reviewer else f"{self.role} of {self.company}"


@dataclass(frozen=True, slots=True)
class DemoCompany(Content):
    """Partner, optionally with a partner manager."""

    name: str
    domain: str
    has_manager: bool = True


@dataclass(frozen=True, slots=True)
class Cast(Content):
    """Content of people.yaml."""

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
