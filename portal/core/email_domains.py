"""Domains of public email providers, whose addresses anyone can have."""

from portal.core.content_files import load_content

PUBLIC_EMAIL_DOMAINS = load_content("portal/core/data/public_email_domains.yaml", frozenset[str])
