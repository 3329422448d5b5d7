"""Recognition of programs compared with public repositories that were classified by hand.

The table has a row for each: the program and category that are recognized, how many facts are read, and how many of
them the start form and the forms of the program would ask for again.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from integrations.programs.registry import PROGRAMS
from integrations.programs.requirements import RequirementKind
from integrations.programs.selectors import get_edition_in_force
from integrations.submissions.models import Integration
from portal.accounts.models import User
from tests.conform.base import Disagreement, RunOptions, Suite, SuiteReport
from verification.checks.facts import Fact
from verification.discovery.known_answers import list_known_answers
from verification.discovery.reading import Reading, list_facts
from verification.discovery.recognition import find_category, recognize
from verification.discovery.services import build_form_values
from verification.sources.github.responses import GitHubRelease, GitHubRepository
from verification.sources.published_versions import RegistryListing
from verification.sources.repository_snapshot import GoModule
from verification.testruns.kinds.run_task.records import Exchange

DATA = Path(__file__).parent / "data" / "recognition.json"
REFERENCE = "14 addresses classified by hand, 12 of public repositories"
START_FORM = ("name", "description", "homepage", "repository_address")
NO_PROGRAM = "none"


@dataclass(frozen=True, slots=True)
class RecognitionRow:
    """Row of the table."""

    address: str
    program: str
    category: str
    facts: int
    repeated_questions: tuple[str, ...]

    @property
    def text(self) -> str:
        category = self.category or "no category"
        count = len(self.repeated_questions)
        return f"{self.program}, {category}, {self.facts} facts, {count} questions repeated"


def load_entries() -> list[dict[str, Any]]:
    """Return the recorded addresses, each with the values of GitHub that all share."""
    document = json.loads(DATA.read_text("utf-8"))
    return [entry | {"github": document["github"]} for entry in document["entries"]]


def build_reading(entry: Mapping[str, Any]) -> Reading:
    """Return what the portal reads at the address."""
    if "reply" in entry:
        reply = Exchange(
            status=entry["reply"], key="", title="", url=entry["address"], sent_headers=(), sent_body="", reason="OK"
        )
        return Reading(reply=reply)
    github = entry["github"]
    listing = entry.get("listing")
    url = entry["address"]
    repository = GitHubRepository(
        id=1,
        owner_id=2,
        full_name=entry["repository"],
        name=entry["repository"].partition("/")[2],
        description=github["description"],
        default_branch=github["default_branch"],
        homepage=github["homepage"],
        license_spdx=github["license"],
        language=github["language"],
        html_url=url,
        owner_type=github["owner_type"],
    )
    release = GitHubRelease(tag=github["release"], html_url=f"{url}/releases/tag/{github['release']}")
    published = listing and RegistryListing(
        full_name=listing["full_name"],
        source=url,
        tier=listing["tier"],
        versions=(github["release"].removeprefix("v"),),
        downloads=listing["downloads"],
    )
    return Reading(repository, (release,), go_module=GoModule(requires=entry["requires"]), listing=published)


def build_row(entry: Mapping[str, Any]) -> RecognitionRow:
    """Return what the portal makes of an address."""
    reading = build_reading(entry)
    candidates = recognize(reading)
    program = candidates[0].program if candidates else ""
    category = find_category(get_edition_in_force(program), reading.name) if program else ""
    facts = [fact for fact in list_facts(reading) if fact.value]
    repeated_questions = tuple(list_repeated_questions(program, reading, facts)) if program else ()
    return RecognitionRow(entry["address"], program or NO_PROGRAM, category, len(facts), repeated_questions)


def list_repeated_questions(program: str, reading: Reading, facts: list[Fact]) -> Iterator[str]:
    """Yield the blank fields of the start form and of the program's forms whose values were read."""
    values = build_form_values(program, reading)
    if reading.repository is not None:
        yield from (key for key in START_FORM if not values.get(key))
    texts = {key: str(values.get(key, "")) for key in ("name", "description", "homepage", "repository")}
    integration = Integration(program_key=program, **texts)
    by_key = {fact.key: fact for fact in facts}
    known_facts: dict[str, str] = {key: by_key[key].value for key in ("listing", "endpoint") if key in by_key}
    known = list_known_answers(integration, known_facts, User(name="Alice Archer", email="alice@acme.example"))
    stated = list_stated_answers(reading)
    for requirement in get_edition_in_force(program).list_requirements():
        questions = {question.key for question in requirement.fields if requirement.kind == RequirementKind.FORM}
        yield from (f"{requirement.id} {key}" for key in sorted(questions & stated) if not known.get(key))


def list_stated_answers(reading: Reading) -> set[str]:
    """Return the keys of the questions that the address answers, counted without the portal's own mapping."""
    stated = {"contact_name", "contact_email"}
    if reading.repository is not None:
        stated |= {"tracker", "text", "use_case", "page"}
    if reading.listing is not None:
        stated |= {"documentation", "provider"}
    if reading.reply is not None:
        stated |= {"endpoint"}
    return stated


def run(_options: RunOptions) -> SuiteReport:
    """Compare program and category of each address; a fact that is asked again is a disagreement too."""
    entries = load_entries()
    rows = [build_row(entry) for entry in entries]
    disagreements = []
    for entry, row in zip(entries, rows, strict=True):
        expected = (entry["program"] or NO_PROGRAM, entry["category"])
        if (row.program, row.category) != expected or row.repeated_questions:
            expected_row = RecognitionRow(row.address, *expected, row.facts, ())
            disagreements.append(Disagreement(row.address, f"{row.text} {row.repeated_questions}", expected_row.text))
    figures = tuple(
        (f"{row.address} (synthetic)" if entry.get("synthetic") else row.address, row.text)
        for entry, row in zip(entries, rows, strict=True)
    )
    programs = {row.program for row in rows} & PROGRAMS.keys()
    summary = ("Programs recognized", f"{len(programs)} of {len(PROGRAMS)}")
    return SuiteReport(REFERENCE, len(rows), tuple(disagreements), figures=(*figures, summary))


SUITE = Suite("recognition", "Program recognition", run)
