"""May a company be called that, and is it here already? Read by the form of a new company and by its action."""

import unicodedata
from collections.abc import Iterable
from datetime import datetime, timedelta

from django.db.models import Q
from django.utils.text import slugify
from django.utils.translation import gettext as _

from integrations.partners.models.partners import Partner
from portal.audit.models import Event
from portal.core import badge_impersonation
from portal.core.name_matching import mixes_scripts, name_key, skeleton
from portal.core.text_fields import text_refusal

NAME_MAX = 120
OLD_NAMES_KEPT = timedelta(days=365)
# Anybody can have an address there: it says nothing about where a person works.
PUBLIC_MAIL = frozenset(
    {
        "aol.com", "fastmail.com", "gmail.com", "gmx.de", "gmx.net", "googlemail.com", "hey.com", "hotmail.com",
        "icloud.com", "live.com", "mac.com", "mail.com", "mail.ru", "me.com", "msn.com", "naver.com", "orange.fr",
        "outlook.com", "pm.me", "proton.me", "protonmail.com", "qq.com", "t-online.de", "web.de", "yahoo.co.jp",
        "yahoo.co.uk", "yahoo.com", "yandex.com", "yandex.ru", "ymail.com", "zoho.com", "126.com", "163.com",
        "users.noreply.github.com",
    }
)  # fmt: skip
# Words that stand in addresses of pages at the place where a company's slug stands.
TAKEN_SLUGS = frozenset({"new", "join", "invited"})
EAST_ASIAN = ("CJK", "HIRAGANA", "KATAKANA", "HANGUL", "BOPOMOFO")


def name_refusal(name: str) -> str:
    """Why no company may have this name, or blank."""
    if len(name) > NAME_MAX:
        return _("At most %(NAME_MAX)s characters; these are %(name)s.") % {"NAME_MAX": NAME_MAX, "name": len(name)}
    if refusal := text_refusal(name):
        return refusal
    if not skeleton(name):
        return _("A name needs at least one letter or digit.")
    # Chinese, Japanese and Korean names hold Latin letters by custom, and look like none.
    if mixes_scripts("".join(char for char in name if not unicodedata.name(char, "").startswith(EAST_ASIAN))):
        return _("This name mixes letters of several alphabets that look alike. Write it in one alphabet.")
    return badge_impersonation.REFUSAL if badge_impersonation.imitates(name) else ""


def domain_of(address: str) -> str:
    """The mail domain that tells where a person works; blank for public mail providers."""
    domain = address.rpartition("@")[2].strip().lower()
    return "" if domain in PUBLIC_MAIL else domain


def twin(name: str, now: datetime) -> Partner | None:
    """The company whose name is, was until lately, or looks like, this one: a second one may not be made."""
    alike = skeleton(name)
    return (Partner.objects.filter(skeleton=alike).first() or _left_lately(alike, now)) if alike else None


def _left_lately(alike: str, now: datetime) -> Partner | None:
    """The company that was called that until it was renamed: for a while nobody is taken for it."""
    changes = Event.objects.filter(verb="company_changed", at__gt=now - OLD_NAMES_KEPT, data__has_key="before")
    for event in changes.select_related("partner"):
        if skeleton(event.data["before"].get("name", "")) == alike:
            return event.partner
    return None


def already_here(name: str, addresses: Iterable[str]) -> list[Partner]:
    """Companies a person may mean: of their (verified) addresses' domains, or of this or a like name."""
    domains = {domain for domain in map(domain_of, addresses) if domain}
    same = Q(domain__in=domains)
    if name:
        same |= Q(skeleton=skeleton(name)) | Q(name_key=name_key(name))
    return list(Partner.objects.filter(same).exclude(skeleton="").order_by("name")[:10])


def free_slug(name: str) -> str:
    """The name as it stands in addresses, with a number where others have it."""
    root = slugify(name)[:70] or "company"
    used = set(Partner.objects.filter(slug__startswith=root).values_list("slug", flat=True)) | TAKEN_SLUGS
    return next(slug for slug in (root, *(f"{root}-{n}" for n in range(2, len(used) + 3))) if slug not in used)
