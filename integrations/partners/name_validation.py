"""Validation of partner names: allowed characters, look-alikes, and reserved slugs."""

import unicodedata
from collections.abc import Iterable
from datetime import datetime, timedelta
from itertools import chain, count

from django.db.models import Q
from django.utils.text import slugify
from django.utils.translation import gettext as _

from integrations.partners.models import Partner, VerificationState
from integrations.partners.reserved_names import compute_lookalike_key, find_reserved_name
from portal.audit.models import AuditEvent
from portal.core import badge_impersonation
from portal.core.email_domains import PUBLIC_EMAIL_DOMAINS
from portal.core.form_fields import explain_text_refusal
from portal.core.name_matching import compute_skeleton, has_mixed_scripts

MAX_NAME_LENGTH = 120
OLD_NAME_RETENTION = timedelta(days=365)
# Path segments that URLs use in place of a partner's slug.
RESERVED_SLUGS = frozenset({"new", "join", "invited", "program"})
EAST_ASIAN_SCRIPTS = ("CJK", "HIRAGANA", "KATAKANA", "HANGUL", "BOPOMOFO")


def explain_name_refusal(name: str) -> str:
    """Return why the name is not allowed, or an empty string."""
    if len(name) > MAX_NAME_LENGTH:
        message = _("Enter %(limit)s characters or fewer. You entered %(count)s.")
        return message % {"limit": MAX_NAME_LENGTH, "count": len(name)}
    if refusal := explain_text_refusal(name):
        return refusal
    if not compute_skeleton(name):
        return _("Enter at least one letter or digit.")
    # Chinese, Japanese, and Korean names often include Latin letters, which don't look alike.
    if has_mixed_scripts(
        "".join(char for char in name if not unicodedata.name(char, "").startswith(EAST_ASIAN_SCRIPTS))
    ):
        return _("The name mixes look-alike letters from several alphabets. Use one alphabet.")
    return badge_impersonation.BADGE_REFUSAL if badge_impersonation.is_badge_imitation(name) else ""


def get_company_domain(email: str) -> str:
    """Return the email domain of a company, or an empty string for public email providers."""
    domain = email.rpartition("@")[2].strip().lower()
    return "" if domain in PUBLIC_EMAIL_DOMAINS else domain


def find_similar_partner(name: str, now: datetime) -> Partner | None:
    """Return the partner whose current or recent name is the same or looks alike, or None."""
    name_skeleton = compute_skeleton(name)
    if not name_skeleton:
        return None
    return Partner.objects.filter(skeleton=name_skeleton).first() or _find_recently_renamed_partner(name_skeleton, now)


def _find_recently_renamed_partner(name_skeleton: str, now: datetime) -> Partner | None:
    """Return the partner that used this name recently. Its old name stays reserved to prevent impersonation."""
    changes = AuditEvent.objects.filter(
        event_type="partner.profile_changed", at__gt=now - OLD_NAME_RETENTION, data__has_key="before"
    )
    for event in changes.select_related("partner"):
        if compute_skeleton(event.data["before"].get("name", "")) == name_skeleton:
            return event.partner
    return None


def explain_name_concern(partner: Partner) -> str:
    """Return why the program must decide on the partner's name, or an empty string."""
    if reserved_name := find_reserved_name(partner.name):
        return _("The name looks like the reserved name “%(name)s”.") % {"name": reserved_name}
    # Names that read the same are refused (find_similar_partner). These are less similar, so a person decides.
    others = Partner.objects.filter(lookalike_key=partner.lookalike_key).exclude(pk=partner.pk)
    # An imitation that was rejected must not block the company that it imitates.
    if other := others.exclude(verification_state=VerificationState.REJECTED).order_by("pk").first():
        return _("The name looks like the company “%(name)s”.") % {"name": other.name}
    return ""


def find_matching_partners(name: str, emails: Iterable[str]) -> list[Partner]:
    """Return up to ten partners with the domain of one of these verified addresses, or with a similar name."""
    domains = {domain for domain in map(get_company_domain, emails) if domain}
    condition = Q(domain__in=domains)
    if name:
        condition |= Q(skeleton=compute_skeleton(name)) | Q(lookalike_key=compute_lookalike_key(name))
    return list(Partner.objects.filter(condition, merged_into=None).exclude(skeleton="").order_by("name")[:10])


def generate_slug(name: str) -> str:
    """Return an unused slug for the name, with a number if the slug is taken.

    Reserved names never appear in a slug, because it stays when the program rejects the name and the owner changes it.
    """
    base_slug = ("" if find_reserved_name(name) else slugify(name)[:70]) or "company"
    used_slugs = set(Partner.objects.filter(slug__startswith=base_slug).values_list("slug", flat=True)) | RESERVED_SLUGS
    numbered_slugs = (f"{base_slug}-{number}" for number in count(2))
    return next(slug for slug in chain([base_slug], numbered_slugs) if slug not in used_slugs)
