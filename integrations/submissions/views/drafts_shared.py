"""What do the pages around a start draft share? Whose draft it is, for which company, and who else works on it."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest
from django.utils.translation import gettext as _

from integrations.partners import permissions
from integrations.partners.models import Partner
from integrations.programs.registry import PROGRAMS
from integrations.programs.schema import Edition, Program
from integrations.submissions.forms.drafts import START_KEYS
from integrations.submissions.models import Draft
from integrations.submissions.selectors.similar import Overlap, Work, overlaps
from integrations.submissions.services.creation import entering_edition
from portal.core.repository_urls import BadAddress, parse_repository


def companies_of(user: Any) -> list[Partner]:
    """The companies for which a person may begin something, by name."""
    mine = [partner for partner, role in permissions.roles_of(user).items() if role in permissions.EDITING]
    return list(Partner.objects.filter(pk__in=mine).order_by("name"))


def load_draft(request: HttpRequest, uuid: UUID) -> Draft:
    """A draft of one of the person's companies. Raises Http404 for every other."""
    user: Any = request.user
    rows = Draft.objects.filter(uuid=uuid, partner_id__in=list(permissions.roles_of(user)))
    found = rows.select_related("partner", "integration", "saved_by").first()
    if found is None:
        raise Http404(_("This draft does not exist, or it is not visible to you."))
    return found


def program_of(draft: Draft) -> tuple[Program, Edition]:
    """The program of a start draft and the edition that it will enter."""
    return PROGRAMS[draft.program_key], entering_edition(draft.program_key)


def version_of(post: Mapping[str, Any]) -> int:
    """The version that the page was made from; 0 for nonsense, which is behind every saved one."""
    given = str(post.get("version", ""))
    return int(given) if given.isascii() and given.isdecimal() and len(given) < 9 else 0


def has_text(data: Mapping[str, Any]) -> bool:
    return any(data.get(key) for key in START_KEYS)


def work_of_draft(partner: Partner, data: Mapping[str, Any]) -> Work:
    """What is compared with others' work, as far as it is typed."""
    try:
        repository = parse_repository(str(data.get("repository_address", "")))
    except BadAddress:
        repository = ""
    is_read = bool(repository) and repository.lower() == str(data.get("repository", "")).lower()
    return Work(partner, str(data.get("name", ""))[:80], repository, data.get("repository_id") if is_read else None)


def neighbours(partner: Partner, data: Mapping[str, Any]) -> tuple[Overlap, ...] | None:
    """Who else works on this; None while too little is typed to say."""
    work = work_of_draft(partner, data)
    return overlaps(work) if work.name.strip() or work.repository else None
