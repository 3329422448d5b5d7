"""Who lives in the demo world? Made-up people of made-up companies; one password for all of them."""

from dataclasses import dataclass

PASSWORD = "look-around-the-portal"  # noqa: S105 - a demo's password is meant to be known


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who can sign in. `company` and `role` are blank for people of the program."""

    name: str
    email: str
    company: str = ""
    role: str = ""
    reviewer: bool = False
    staff: bool = False
    zone: str = "UTC"

    @property
    def is_what(self) -> str:
        if self.staff:
            return "staff"
        return "reviewer" if self.reviewer else f"{self.role} of {self.company}"


@dataclass(frozen=True, slots=True)
class Company:
    """A company: name, mail domain, website, and whether an Alliances manager looks after it."""

    name: str
    domain: str
    managed: bool = True


COMPANIES = (
    Company("Acme Rockets", "acme.example"),
    Company("Globex", "globex.example"),
    Company("Initech Networks", "initech.example"),
    Company("Umbra Security", "umbra.example", managed=False),
    Company("Nordlicht Cloud", "nordlicht.example"),
    Company("Kestrel Data", "kestrel.example", managed=False),
    Company("Papaya Pipelines", "papaya.example"),
    Company("Tanuki Systems", "tanuki.example", managed=False),
    Company("Marlow Metrics", "marlow.example"),
)

PEOPLE = (
    Person("Alice Archer", "alice@acme.example", "Acme Rockets", "owner", zone="America/New_York"),
    Person("Bob Baker", "bob@acme.example", "Acme Rockets", "editor", zone="America/New_York"),
    Person("Vera Voss", "vera@acme.example", "Acme Rockets", "viewer", zone="Europe/Berlin"),
    Person("Charlie Cole", "charlie@globex.example", "Globex", "owner", zone="America/Los_Angeles"),
    Person("Ines Ito", "ines@initech.example", "Initech Networks", "owner", zone="Asia/Tokyo"),
    Person("Uma Underhill", "uma@umbra.example", "Umbra Security", "owner", zone="Europe/London"),
    Person("Nils Norberg", "nils@nordlicht.example", "Nordlicht Cloud", "owner", zone="Europe/Stockholm"),
    Person("Kim Kessler", "kim@kestrel.example", "Kestrel Data", "owner", zone="Europe/Zurich"),
    Person("Paula Prado", "paula@papaya.example", "Papaya Pipelines", "owner", zone="America/Sao_Paulo"),
    Person("Taro Tanaka", "taro@tanuki.example", "Tanuki Systems", "owner", zone="Asia/Tokyo"),
    Person("Mara Marlow", "mara@marlow.example", "Marlow Metrics", "owner", zone="Europe/Dublin"),
    Person("Rita Reyes", "rita@program.example", reviewer=True, zone="America/Chicago"),
    Person("Rob Roth", "rob@program.example", reviewer=True, zone="Europe/Berlin"),
    Person("Sam Stone", "sam@program.example", staff=True),
)

SIGN_INS = tuple(
    (p.email, PASSWORD, p.is_what)
    for p in PEOPLE
    if p.name.split()[0] in {"Alice", "Bob", "Vera", "Charlie", "Rita", "Rob", "Sam"}
)
