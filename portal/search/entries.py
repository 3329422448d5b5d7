"""Entries of partners, their people, integrations, findings, and issues."""

from collections.abc import Iterable, Iterator
from functools import partial

from django.db.models import Model
from django.urls import reverse

from integrations.partners.models import Membership, Partner
from integrations.sla.models import SupportIssue
from integrations.submissions.models import Finding, Integration
from portal.search.models import Audience, Kind, SearchEntry
from portal.search.words import split_words

MAX_TITLE_LENGTH = 300
MAX_SUBTITLE_LENGTH = 200
MAX_WORDS = 1000


def build_entry(
    kind: Kind,
    object_id: object,
    title: str,
    *texts: str,
    source: str,
    url: str,
    subtitle: str = "",
    staff_url: str = "",
    audience: Audience = Audience.MEMBERS,
    partner_id: int | None = None,
) -> SearchEntry:
    """Return an unsaved entry that is found by the words of its title, its subtitle, and the texts."""
    words = dict.fromkeys(split_words(" ".join((title, subtitle, *texts))))
    return SearchEntry(
        kind=kind,
        object_id=str(object_id),
        source=source,
        title=title[:MAX_TITLE_LENGTH],
        title_words=" ".join(split_words(title))[:MAX_TITLE_LENGTH],
        subtitle=subtitle[:MAX_SUBTITLE_LENGTH],
        words=" ".join(list(words)[:MAX_WORDS]),
        url=url,
        staff_url=staff_url,
        audience=audience,
        partner_id=partner_id,
    )


def build_partner_entries(partner: Partner, memberships: Iterable[Membership]) -> Iterator[SearchEntry]:
    """Return the entries of a partner and of its members."""
    build = partial(
        build_entry,
        source=get_source(partner),
        url=reverse("partners:members", args=[partner.slug]),
        staff_url=reverse("reviews:partner", args=[partner.slug]),
        partner_id=partner.pk,
    )
    yield build(Kind.PARTNER, partner.pk, partner.name, partner.website, subtitle=partner.domain)
    for membership in memberships:
        user = membership.user
        yield build(Kind.PERSON, membership.pk, str(user), user.email, subtitle=partner.name)


def build_integration_entries(integration: Integration, findings: Iterable[Finding]) -> Iterator[SearchEntry]:
    """Return the entries of an integration, its repository, and its findings.

    Findings that the partner can't see yet are for program staff only.
    """
    partner = integration.partner
    url = reverse("submissions:detail", args=[integration.uuid])
    build = partial(build_entry, source=get_source(integration), partner_id=partner.pk)
    texts = (integration.name, integration.description, integration.program.name)
    yield build(Kind.INTEGRATION, integration.pk, *texts, url=url, subtitle=partner.name)
    name = f"{integration.name} · {partner.name}"
    review_url = reverse("reviews:review", args=[integration.uuid])
    if integration.repository:
        yield build(Kind.REPOSITORY, integration.pk, integration.repository, url=url, subtitle=name)
    for finding in findings:
        finding.integration = integration  # its state decides, which may not be saved yet
        texts = (finding.text, finding.answer, finding.requirement_id)
        yield build(
            Kind.FINDING,
            finding.pk,
            *texts,
            url=f"{url}#finding-{finding.number}",
            subtitle=name,
            staff_url=f"{review_url}#finding-{finding.number}",
            audience=Audience.MEMBERS if finding.is_visible_to_partner else Audience.STAFF,
        )


def build_issue_entry(issue: SupportIssue) -> SearchEntry:
    return build_entry(
        Kind.ISSUE,
        issue.pk,
        issue.title,
        source=get_source(issue),
        url=reverse("sla:issue", args=[issue.uuid]),
        subtitle=str(issue),
        partner_id=issue.integration.partner_id,
    )


def get_source(row: Model) -> str:
    """Return the name under which the entries of an object are written together, such as "integration:7"."""
    return f"{row._meta.model_name}:{row.pk}"
