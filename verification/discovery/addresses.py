"""Addresses that people enter to start an integration: a repository, a registry page, or a run task endpoint."""

import re
from enum import StrEnum
from urllib.parse import urlsplit

from django.conf import settings
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from portal.core.repository_urls import (
    MAX_URL_LENGTH,
    NAME_PATTERN,
    OWNER_PATTERN,
    InvalidRepositoryUrlError,
    get_allowed_host,
    parse_repository,
)
from verification.sources.errors import RequestRefusedError
from verification.sources.http import urls

REGISTRY_PATH_PATTERN = re.compile(
    rf"/(?:v1/|v2/)?(?:providers|namespaces)/(?P<namespace>{OWNER_PATTERN.pattern})(?:/(?P<name>{NAME_PATTERN.pattern}))?(?:/.*)?"
)


class AddressKind(StrEnum):
    """What an address names."""

    REPOSITORY = "repository"
    PROVIDER = "provider"
    NAMESPACE = "namespace"
    ENDPOINT = "endpoint"


Address = tuple[AddressKind, str]


def parse_address(text: str) -> Address:
    """Return what the text names, and its name: "owner/name", "namespace/name", "namespace", or a URL of an endpoint.

    Raises:
        ValidationError: The text names nothing that the portal can read. The message says what to enter.
    """
    text = text.strip()
    if len(text) > MAX_URL_LENGTH:
        raise ValidationError(_("Enter a URL of %(limit)s characters or fewer.") % {"limit": MAX_URL_LENGTH})
    try:
        parts = urlsplit(text if "://" in text else f"https://{text}")
    except ValueError as error:  # such as brackets that enclose no IPv6 address
        raise ValidationError(_("Enter a valid URL, such as https://github.com/owner/name.")) from error
    # Before other sites, because the registry's pages are URLs too and would become endpoints.
    if parts.netloc.lower() == urlsplit(settings.REGISTRY_URL).netloc.lower():
        return _parse_registry_path(parts.path)
    # Without a scheme, a text such as owner/name is a repository. With one, any other site can only be an endpoint.
    is_other_site = "://" in text and parts.netloc.lower().removeprefix("www.") != get_allowed_host()
    if is_other_site and parts.scheme in {"https", "http"}:
        return _parse_endpoint(text)
    try:
        return AddressKind.REPOSITORY, parse_repository(text)
    except InvalidRepositoryUrlError as error:
        raise ValidationError(str(error)) from error


def _parse_registry_path(path: str) -> Address:
    match = REGISTRY_PATH_PATTERN.fullmatch(path.rstrip("/"))
    # The names of these folders would lead the requests of the portal to another path.
    if match is None or match["name"] in {".", ".."}:
        raise ValidationError(
            _("Enter the registry page of a provider or a namespace, such as %(url)s/providers/owner/name.")
            % {"url": settings.REGISTRY_URL}
        )
    namespace = match["namespace"]
    name = match["name"]
    if name is None:
        return AddressKind.NAMESPACE, namespace
    return AddressKind.PROVIDER, f"{namespace}/{name}"


def _parse_endpoint(text: str) -> Address:
    try:
        urls.parse_url(text, loopback=settings.ALLOW_LOOPBACK_HTTP)
    except RequestRefusedError as refusal:
        raise ValidationError(str(refusal)) from refusal
    return AddressKind.ENDPOINT, text
