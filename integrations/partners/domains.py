"""Domains that a company can prove: that of its email addresses, and that of its website."""

import re
from urllib.parse import urlsplit

from integrations.partners.models import Partner
from portal.core.email_domains import PUBLIC_EMAIL_DOMAINS

DOMAIN_PATTERN = re.compile(r"(?=.{4,253}\Z)(?:[^\W_](?:[\w-]{0,61}[^\W_])?\.)+(?!\d+\Z)[^\W_](?:[\w-]{0,61}[^\W_])")


def list_claimable_domains(partner: Partner) -> list[str]:
    """Return the distinct email and website domains, without public email providers."""
    domains = dict.fromkeys((partner.domain.lower(), get_website_domain(partner.website)))
    # Everyone has an address at a public email provider, so it proves nothing about a company.
    return [domain for domain in domains if DOMAIN_PATTERN.fullmatch(domain) and domain not in PUBLIC_EMAIL_DOMAINS]


def get_website_domain(website: str) -> str:
    """Return the domain of a website without a leading "www.", or an empty string."""
    try:
        host = urlsplit(website).hostname or ""
    except ValueError:
        return ""
    return host.removeprefix("www.")
