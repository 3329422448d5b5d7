"""Entries of partners, their people, integrations, findings, and issues."""

from collections.abc import Iterable, Iterator

from django.db.models import Model
from django.urls import reverse

from integrations.partners.models import Membership, Partner
from integrations.sla.models import SupportIssue
from integrations.submissions.models import Finding, Integration
from portal.search.models import Audience, Kind, SearchEntry
from portal.search.words import split_words

MAX_TITLE_LENGTH, MAX_SUBTITLE_LENGTH, MAX_WORDS = 300, 200, 1000


def build_entry(
    kind: Kind,
    object_id: object,
    source: str,
    title: str,
    url: str,
    *texts: str,
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
    source = get_source(partner)
    url, staff_url = reverse("partners:members", args=[partner.slug]), reverse("reviews:partner", args=[partner.slug])
    yield build_entry(
        Kind.PARTNER,
        partner.pk,
        source,
        partner.name,
        url,
        partner.website,
        subtitle=partner.domain,
        staff_url=staff_url,
        partner_id=partner.pk,
    )
    for membership in memberships:
        yield build_entry(
            Kind.PERSON,
            membership.pk,
            source,
            str(membership.user),
            url,
            membership.user.email,
            subtitle=partner.name,
            staff_url=staff_url,
            partner_id=partner.pk,
        )


def build_integration_entries(integration: Integration, findings: Iterable[Finding]) -> Iterator[SearchEntry]:
    """Return the entries of an integration, its repository, and its findings.

    Findings that the partner can't see yet are for program staff only.
    """
    source, partner = get_source(integration), integration.partner
    url, name = reverse("submissions:detail", args=[integration.uuid]), f"{integration.name} · {partner.name}"
    texts = (integration.description, integration.program.name)
    yield build_entry(
        Kind.INTEGRATION,
        integration.pk,
        source,
        integration.name,
        url,
        *texts,
        subtitle=partner.name,
        partner_id=partner.pk,
    )
    if integration.repository:
        yield build_entry(
            Kind.REPOSITORY, integration.pk, source, integration.repository, url, subtitle=name, partner_id=partner.pk
        )
    review_url = reverse("reviews:review", args=[integration.uuid])
    for finding in findings:
        finding.integration = integration  # its state decides, which may not be saved yet
        yield build_entry(
            Kind.FINDING,
            finding.pk,
            source,
            finding.text,
            f"{url}#finding-{finding.number}",
            finding.answer,
            finding.requirement_id,
            subtitle=name,
            staff_url=f"{review_url}#finding-{finding.number}",
            audience=Audience.MEMBERS if finding.is_visible_to_partner else Audience.STAFF,
            partner_id=partner.pk,
        )


def build_issue_entry(issue: SupportIssue) -> SearchEntry:
    return build_entry(
        Kind.ISSUE,
        issue.pk,
        get_source(issue),
        issue.title,
        reverse("sla:issue", args=[issue.uuid]),
        subtitle=f"{issue.monitored_repository.repository}#{issue.number}",
        partner_id=issue.integration.partner_id,
    )


def get_source(row: Model) -> str:
    """Return the name under which the entries of an object are written together, such as "integration:7"."""
    return f"{row._meta.model_name}:{row.pk}"
