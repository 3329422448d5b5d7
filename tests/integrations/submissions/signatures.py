"""Signatures of agreements for tests."""

from dataclasses import replace
from typing import Any

from integrations.programs.registry import AGREEMENTS
from integrations.submissions.models import Agreement
from integrations.submissions.services import agreements
from integrations.submissions.services.agreements import Signature

TPA = "NO-8"
MNDA = "NO-2"
ALICE = Signature("Alice Archer", "CEO", "I am authorized to accept it on behalf of Acme.")
RITA = Signature("Rita Reyes", "Director", "I am authorized to accept it on behalf of the program.")


def sign(row: Any, by: Any, now: Any, signature: Signature = ALICE, requirement_id: str = TPA) -> Agreement:
    """Sign the text that is current."""
    kind = row.edition.get_requirement(requirement_id).agreement
    digest = agreements.get_current_agreement(row.partner, kind).digest
    return agreements.sign_agreement(row, requirement_id, signature, digest=digest, actor=by, now=now)


def publish_version(monkeypatch: Any, version: str = "2027-01", key: str = "tpa") -> None:
    """Add a version with a changed last clause."""
    newest = AGREEMENTS[key][-1]
    source = newest.source.replace("30 days", "60 days")
    monkeypatch.setitem(AGREEMENTS, key, (*AGREEMENTS[key], replace(newest, version=version, source=source)))
