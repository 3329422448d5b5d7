"""Who lives in the demo world? Made-up people of made-up companies; one password for all of them."""

from dataclasses import dataclass

PASSWORD = "look-around-the-portal"  # noqa: S105 - a demo's password is meant to be known


@dataclass(frozen=True, slots=True)
class DemoPerson:
    """Somebody who can sign in. `company` and `role` are blank for people of the program."""

    name: str
    email: str
    company: str = ""
    role: str = ""
    reviewer: bool = False
    staff: bool = False
    zone: str = "UTC"

    @property
    def role_label(self) -> str:
        if self.staff:
            return "staff"
        return "reviewer" if self.reviewer else f"{self.role} of {self.company}"


@dataclass(frozen=True, slots=True)
class DemoCompany:
    """A company: name, mail domain, website, and whether an Alliances manager looks after it."""

    name: str
    domain: str
    has_manager: bool = True


COMPANIES = (
    DemoCompany("Acme Rockets", "acme.example"),
    DemoCompany("Globex", "globex.example"),
    DemoCompany("Initech Networks", "initech.example"),
    DemoCompany("Umbra Security", "umbra.example", has_manager=False),
    DemoCompany("Nordlicht Cloud", "nordlicht.example"),
    DemoCompany("Kestrel Data", "kestrel.example", has_manager=False),
    DemoCompany("Papaya Pipelines", "papaya.example"),
    DemoCompany("Tanuki Systems", "tanuki.example", has_manager=False),
    DemoCompany("Marlow Metrics", "marlow.example"),
)

PEOPLE = (
    DemoPerson("Alice Archer", "alice@acme.example", "Acme Rockets", "owner", zone="America/New_York"),
    DemoPerson("Bob Baker", "bob@acme.example", "Acme Rockets", "editor", zone="America/New_York"),
    DemoPerson("Vera Voss", "vera@acme.example", "Acme Rockets", "viewer", zone="Europe/Berlin"),
    DemoPerson("Charlie Cole", "charlie@globex.example", "Globex", "owner", zone="America/Los_Angeles"),
    DemoPerson("Ines Ito", "ines@initech.example", "Initech Networks", "owner", zone="Asia/Tokyo"),
    DemoPerson("Uma Underhill", "uma@umbra.example", "Umbra Security", "owner", zone="Europe/London"),
    DemoPerson("Nils Norberg", "nils@nordlicht.example", "Nordlicht Cloud", "owner", zone="Europe/Stockholm"),
    DemoPerson("Kim Kessler", "kim@kestrel.example", "Kestrel Data", "owner", zone="Europe/Zurich"),
    DemoPerson("Paula Prado", "paula@papaya.example", "Papaya Pipelines", "owner", zone="America/Sao_Paulo"),
    DemoPerson("Taro Tanaka", "taro@tanuki.example", "Tanuki Systems", "owner", zone="Asia/Tokyo"),
    DemoPerson("Mara Marlow", "mara@marlow.example", "Marlow Metrics", "owner", zone="Europe/Dublin"),
    DemoPerson("Rita Reyes", "rita@program.example", reviewer=True, zone="America/Chicago"),
    DemoPerson("Rob Roth", "rob@program.example", reviewer=True, zone="Europe/Berlin"),
    DemoPerson("Sam Stone", "sam@program.example", staff=True),
)

SIGN_INS = tuple(
    (p.email, PASSWORD, p.role_label)
    for p in PEOPLE
    if p.name.split()[0] in {"Alice", "Bob", "Vera", "Charlie", "Rita", "Rob", "Sam"}
)
