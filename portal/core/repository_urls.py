"""Which repository is meant? Reads addresses that people paste; only the one allowed host passes."""

import re
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.utils.translation import gettext
from django.utils.translation import gettext as _

MAX_URL_LENGTH = 300
OWNER_PATTERN = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,37}[A-Za-z0-9])?")
NAME_PATTERN = re.compile(r"[A-Za-z0-9._-]{1,100}")
FAMILY_PREFIX_PATTERN = re.compile(
    r"^(?:terraform-provider|nomad-(?:driver|device|autoscaler)(?:-plugin)?|nomad-plugin|"
    r"vault-plugin(?:-(?:secrets|auth|database))?|packer-plugin|terraform-run-task|consul)-(?=.)",
    re.IGNORECASE,
)
EXAMPLE_REPOSITORY = "owner/name"


class InvalidRepositoryUrlError(ValueError):
    """The text does not name a repository on the allowed host. The message is a sentence fit to show."""


def get_allowed_host() -> str:
    """The one host, with its port where the setting names one."""
    return urlsplit(settings.GITHUB_WEB_URL).netloc.lower()


def parse_repository(text: str) -> str:
    """ "owner/name" of a pasted address.

    Takes https://HOST/owner/name with anything behind it, HOST/owner/name, git@HOST:owner/name.git and
    owner/name. Raises BadAddress with a sentence that says what to paste.
    """
    address = text.strip()
    if not address:
        raise InvalidRepositoryUrlError(_("Paste the address of the repository."))
    if len(address) > MAX_URL_LENGTH:
        raise InvalidRepositoryUrlError(
            _("A repository's address is shorter than %(most)s characters.") % {"most": MAX_URL_LENGTH}
        )
    if not (address.isascii() and address.isprintable()) or " " in address or "\\" in address:
        raise InvalidRepositoryUrlError(
            _("The address holds characters that no address on %(host)s has; type it in plain letters.")
            % {"host": get_allowed_host()}
        )
    return _validate_path(_extract_path(address).split("?")[0].split("#")[0])


def _extract_path(address: str) -> str:
    """The part behind the host. Raises BadAddress where the host is not the allowed one."""
    host = get_allowed_host()
    if address.lower().startswith("git@"):
        url_host, _, path = address[4:].partition(":")
    elif "://" in address:
        scheme, _, rest = address.partition("://")
        if scheme.lower() not in {"https", "http", "ssh", "git"}:
            raise InvalidRepositoryUrlError(
                gettext("Paste an address that begins with https://%(host)s/.") % {"host": host}
            )
        url_host, _, path = rest.partition("/")
        url_host = url_host.removeprefix("git@") if scheme.lower() == "ssh" else url_host
    else:
        first_part, _, path = address.partition("/")
        if "." not in first_part and "@" not in first_part and ":" not in first_part:
            return address
        url_host = first_part
    if url_host.lower() not in {host, f"www.{host}"}:
        raise InvalidRepositoryUrlError(
            gettext("Only repositories on %(host)s can be read: https://%(host)s/%(example)s.")
            % {"host": host, "example": EXAMPLE_REPOSITORY}
        )
    return path


def _validate_path(path: str) -> str:
    parts = [part for part in path.split("/") if part]
    if len(parts) < 2:
        raise InvalidRepositoryUrlError(
            _("Name the owner and the repository: https://%(host)s/%(example)s.")
            % {"host": get_allowed_host(), "example": EXAMPLE_REPOSITORY}
        )
    owner, name = parts[0], parts[1].removesuffix(".git")
    if not OWNER_PATTERN.fullmatch(owner) or not NAME_PATTERN.fullmatch(name) or name in {".", ".."}:
        raise InvalidRepositoryUrlError(
            _("%(owner)s/%(name)s is not a repository's name on %(host)s.")
            % {"owner": owner, "name": name, "host": get_allowed_host()}
        )
    return f"{owner}/{name}"


def get_product_name(repository: str) -> str:
    """The product's own part of a repository's name: "acme/terraform-provider-rocket" gives "rocket"."""
    return FAMILY_PREFIX_PATTERN.sub("", repository.rpartition("/")[2])


RepositoryReader = Callable[[str], dict[str, Any]]
_readers: list[RepositoryReader] = []


def register_reader(reader: RepositoryReader) -> None:
    """The floor above names its reader: a function of an address, as verification.checks.services.prefill.prefill."""
    _readers[:] = [reader]


def fetch_repository(address: str) -> dict[str, Any]:
    """What the repository at the address answers, for a form: see verification.checks.services.prefill.prefill."""
    return _readers[0](address)
