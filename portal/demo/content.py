"""People, integrations, issues, and the past of the demo world, from the YAML files in data."""

from pathlib import Path
from typing import Literal

from portal.core.content_files import Content, load_content, load_section

DATA = Path(__file__).with_name("data")
PASSWORD = "look-around-the-portal"  # noqa: S105 - a demo's password is meant to be known


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


class DemoCompany(Content):
    """Partner, optionally with an Alliances manager."""

    name: str
    domain: str
    has_manager: bool = True


class DemoPeople(Content):
    """Content of people.yaml."""

    companies: tuple[DemoCompany, ...]
    people: tuple[DemoPerson, ...]


class DemoTransition(Content):
    """Transition of a scenario, so many days before the time of the scenario."""

    name: str
    actor: Literal["owner", "reviewer", "other_reviewer"]
    note: str = ""
    days_ago: int = 0


class DemoRepository(Content):
    """What differs between the fictional repositories. The templates of their files are in repositories.yaml.

    Attributes:
        versions: Released versions from newest to oldest.
        platforms: Platforms of the newest version.
        newest_days_ago: Days between the newest release and the loading of the demo. By default, all releases are older
            than the integration.
        resources: Resources of a provider, each with its own file and page.
        data_sources: Data sources of a provider, the same.
        extra_files: Further files of the newest release.
        missing_files: Files that the repository doesn't have.
    """

    versions: tuple[str, ...] = ("0.1.0",)
    platforms: tuple[str, ...] = ("linux_amd64", "linux_arm64")
    newest_days_ago: int = 0
    resources: tuple[str, ...] = ("project",)
    data_sources: tuple[str, ...] = ()
    extra_files: tuple[str, ...] = ()
    missing_files: tuple[str, ...] = ()


class DemoIntegration(Content):
    """Integration to create."""

    company: str
    program: str
    name: str
    repository: str
    description: str
    stage: str
    scenario: str = ""
    started_days_ago: int = 30
    category_index: int = 0
    migrated_to: str = ""
    repository_contents: DemoRepository = DemoRepository()
    reply: str = ""


class World(Content):
    """Content of world.yaml."""

    transitions: dict[str, tuple[DemoTransition, ...]]
    integrations: tuple[DemoIntegration, ...]


class DemoIssueEvent(Content):
    """Event of an issue, so many hours after its opening. `text` is a comment or a label."""

    after_hours: float
    author: Literal["user", "partner", "bot", "other_user"]
    action: Literal["comment", "label", "unlabel", "close", "reopen"]
    text: str = ""


class DemoIssue(Content):
    """GitHub issue of an integration."""

    integration: str
    title: str
    opened_days_ago: float
    events: tuple[DemoIssueEvent, ...] = ()
    label: str = ""
    solved_after_hours: float = 0
    is_delayed: bool = False

    def list_events(self) -> tuple[DemoIssueEvent, ...]:
        """Return the events, or those of a solved issue."""
        if not self.solved_after_hours:
            return self.events
        return (
            DemoIssueEvent(self.solved_after_hours / 2, "partner", "comment"),
            DemoIssueEvent(self.solved_after_hours, "partner", "close"),
        )


class PastProgram(Content):
    """Program of past integrations: their number, their repositories, and the median business days of a decision."""

    key: str
    count: int
    repository: str
    decision_days: float


class PastEnding(Content):
    """How often past integrations end with a transition, and its note."""

    weight: int
    note: str = ""


class Past(Content):
    """Content of past.yaml.

    Attributes:
        endings: Endings by transition, with an empty string for integrations that stay in support.
        saved_views: The page, name, and query of views that program staff share.
    """

    companies: tuple[str, ...]
    products: tuple[str, ...]
    programs: tuple[PastProgram, ...]
    endings: dict[str, PastEnding]
    repository_contents: DemoRepository
    saved_views: tuple[tuple[str, str, str], ...]


PEOPLE = load_content(DATA / "people.yaml", DemoPeople)
WORLD = load_content(DATA / "world.yaml", World)
ISSUES = load_section(DATA / "issues.yaml", "issues", tuple[DemoIssue, ...])
PAST = load_content(DATA / "past.yaml", Past)
SIGN_INS = tuple(
    (person.email, PASSWORD, person.role_label)
    for person in PEOPLE.people
    if person.name.split()[0] in {"Alice", "Bob", "Vera", "Charlie", "Rita", "Rob", "Sam"}
)
