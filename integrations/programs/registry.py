"""Registry of the programs, their editions, and the agreements, loaded once when this module is imported."""

from integrations.programs.agreements import AgreementDocument, load_agreements
from integrations.programs.loader import CONTENT, load_programs
from integrations.programs.schema import Edition, Program

PROGRAMS: dict[str, Program] = load_programs(CONTENT)
AGREEMENTS: dict[str, tuple[AgreementDocument, ...]] = load_agreements(CONTENT / "agreements")


def get_edition(program: str, date: str) -> Edition:
    """Return an edition by program and date. Raises KeyError for an unknown program or date."""
    return PROGRAMS[program].by_date[date]


def list_agreement_requirement_ids(key: str) -> list[str]:
    """Return the IDs of the requirements of an agreement in all editions of all programs."""
    editions = [edition for program in PROGRAMS.values() for edition in program.editions]
    return sorted({each.id for edition in editions for each in edition.list_requirements() if each.agreement == key})


def get_agreement_document(key: str) -> AgreementDocument:
    """Return the newest version of an agreement, which applies to every edition. Raises KeyError for an unknown key."""
    return AGREEMENTS[key][-1]
