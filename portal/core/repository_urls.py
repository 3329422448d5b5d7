"""Parsing of repository URLs that people enter. Only one host is allowed."""

import re
from collections.abc import Callable
from urllib.parse import urlsplit

from django.conf import settings
from django.utils.translation import gettext as _

MAX_URL_LENGTH = 300
# GitHub's rules: up to 39 letters, digits, and hyphens, with a letter or digit at both ends.
OWNER_PATTERN = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,37}[A-Za-z0-9])?")
NAME_PATTERN = re.compile(r"[A-Za-z0-9._-]{1,100}")
# Prefixes of repository names that the programs' products expect, such as terraform-provider-NAME in the Terraform
# Registry.
FAMILY_PREFIX_PATTERN = re.compile(
    r"^(?:terraform-provider|nomad-(?:driver|device|autoscaler)(?:-plugin)?|nomad-plugin|"
    r"vault-plugin(?:-(?:secrets|auth|database))?|packer-plugin|terraform-run-task|consul)-(?=.)",
    re.IGNORECASE,
)
EXAMPLE_REPOSITORY = "owner/name"


class InvalidRepositoryUrlError(ValueError):
    """Text that is not the URL of a repository on the allowed host. The message is safe to display."""


def get_allowed_host() -> str:
    """Return the allowed host, with its port if the setting has one."""
    return urlsplit(settings.GITHUB_WEB_URL).netloc.lower()


def parse_repository(text: str) -> str:
    """Return "owner/name" of a repository URL.

    Accepts https://HOST/owner/name with any suffix, HOST/owner/name, git@HOST:owner/name.git, and owner/name.

    Raises:
        InvalidRepositoryUrlError: The text is not a repository URL. The message says what to enter.
    """
    address = text.strip()
    if not address:
        raise InvalidRepositoryUrlError(_("Enter the repository URL."))
    if len(address) > MAX_URL_LENGTH:
        raise InvalidRepositoryUrlError(_("Enter a URL of %(limit)s characters or fewer.") % {"limit": MAX_URL_LENGTH})
    if " " in address and "/" not in address:
        raise _build_host_error()
    if not (address.isascii() and address.isprintable()) or " " in address or "\\" in address:
        raise InvalidRepositoryUrlError(
            _("The URL contains characters that %(host)s doesn't allow. Type the URL instead of pasting it.")
            % {"host": get_allowed_host()}
        )
    return _validate_path(_extract_path(address).split("?")[0].split("#")[0])


def find_repository(text: str) -> str:
    """Return "owner/name" of a repository URL, blank for any other text."""
    try:
        return parse_repository(text)
    except InvalidRepositoryUrlError:
        return ""


def find_issue_repository(url: str) -> str:
    """Return "owner/name" of the repository whose issues a URL lists, blank for any other text."""
    repository = find_repository(url)
    if not repository:
        return ""
    parts = [part for part in urlsplit(url.strip()).path.split("/") if part]
    # Discussions and the project boards of organizations hold no issues of one repository.
    return repository if parts[2:3] in ([], ["issues"]) else ""


def _extract_path(address: str) -> str:
    """Return the path of a URL.

    Raises:
        InvalidRepositoryUrlError: The host is not allowed.
    """
    host = get_allowed_host()
    if address.lower().startswith("git@"):
        url_host, _colon, path = address[4:].partition(":")
    elif "://" in address:
        scheme, rest = address.split("://", 1)
        if scheme.lower() not in {"https", "http", "ssh", "git"}:
            raise InvalidRepositoryUrlError(_("Enter a URL that starts with https://%(host)s/.") % {"host": host})
        url_host, _slash, path = rest.partition("/")
        url_host = url_host.removeprefix("git@") if scheme.lower() == "ssh" else url_host
    else:
        first_part, _slash, path = address.partition("/")
        if "." not in first_part and "@" not in first_part and ":" not in first_part:
            return address
        url_host = first_part
    # Compared as a whole, so that neither a user name nor a port can disguise another host.
    if url_host.lower() not in {host, f"www.{host}"}:
        raise _build_host_error()
    return path


def _build_host_error() -> InvalidRepositoryUrlError:
    message = _("Enter a repository on %(host)s, such as https://%(host)s/%(example)s.")
    return InvalidRepositoryUrlError(message % {"host": get_allowed_host(), "example": EXAMPLE_REPOSITORY})


def _validate_path(path: str) -> str:
    parts = [part for part in path.split("/") if part]
    if len(parts) < 2:
        raise InvalidRepositoryUrlError(
            _("Enter a URL with an owner and a repository, such as https://%(host)s/%(example)s.")
            % {"host": get_allowed_host(), "example": EXAMPLE_REPOSITORY}
        )
    owner = parts[0]
    name = parts[1].removesuffix(".git")
    # These two names would lead the requests of the portal to another path.
    if not OWNER_PATTERN.fullmatch(owner) or not NAME_PATTERN.fullmatch(name) or name in {".", ".."}:
        raise InvalidRepositoryUrlError(
            _("%(owner)s/%(name)s is not a valid repository name on %(host)s.")
            % {"owner": owner, "name": name, "host": get_allowed_host()}
        )
    return f"{owner}/{name}"


def get_product_name(repository: str) -> str:
    """Return the product part of a repository name: "rocket" for "acme/terraform-provider-rocket"."""
    return FAMILY_PREFIX_PATTERN.sub("", repository.rpartition("/")[2])


RepositoryReader = Callable[[str], dict[str, object]]
_readers: list[RepositoryReader] = []


def register_reader(reader: RepositoryReader) -> None:
    """Register the function that reads a repository for a form. A higher layer provides it."""
    _readers[:] = [reader]


def fetch_repository(url: str) -> dict[str, object]:
    """Return form values from the repository, as verification.checks.services.prefill.prefill describes them."""
    return _readers[0](url)
