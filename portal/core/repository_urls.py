"""Which repository is meant? Reads addresses that people paste; only the one allowed host passes."""

import re
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.utils.translation import gettext
from django.utils.translation import gettext as _

MAX_LENGTH = 300
OWNER = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,37}[A-Za-z0-9])?")
NAME = re.compile(r"[A-Za-z0-9._-]{1,100}")
FAMILY = re.compile(
    r"^(?:terraform-provider|nomad-(?:driver|device|autoscaler)(?:-plugin)?|nomad-plugin|"
    r"vault-plugin(?:-(?:secrets|auth|database))?|packer-plugin|terraform-run-task|consul)-(?=.)",
    re.IGNORECASE,
)
EXAMPLE = "owner/name"


class BadAddress(ValueError):
    """The text does not name a repository on the allowed host. The message is a sentence fit to show."""


def allowed_host() -> str:
    """The one host, with its port where the setting names one."""
    return urlsplit(settings.GITHUB_WEB_URL).netloc.lower()


def parse_repository(text: str) -> str:
    """ "owner/name" of a pasted address.

    Takes https://HOST/owner/name with anything behind it, HOST/owner/name, git@HOST:owner/name.git and
    owner/name. Raises BadAddress with a sentence that says what to paste.
    """
    address = text.strip()
    if not address:
        raise BadAddress(_("Paste the address of the repository."))
    if len(address) > MAX_LENGTH:
        raise BadAddress(_("A repository's address is shorter than %(most)s characters.") % {"most": MAX_LENGTH})
    if not (address.isascii() and address.isprintable()) or " " in address or "\\" in address:
        raise BadAddress(
            _("The address holds characters that no address on %(host)s has; type it in plain letters.")
            % {"host": allowed_host()}
        )
    return _checked(_path(address).split("?")[0].split("#")[0])


def _path(address: str) -> str:
    """The part behind the host. Raises BadAddress where the host is not the allowed one."""
    host = allowed_host()
    if address.lower().startswith("git@"):
        found, _, path = address[4:].partition(":")
    elif "://" in address:
        scheme, _, rest = address.partition("://")
        if scheme.lower() not in {"https", "http", "ssh", "git"}:
            raise BadAddress(gettext("Paste an address that begins with https://%(host)s/.") % {"host": host})
        found, _, path = rest.partition("/")
        found = found.removeprefix("git@") if scheme.lower() == "ssh" else found
    else:
        first, _, path = address.partition("/")
        if "." not in first and "@" not in first and ":" not in first:
            return address
        found = first
    if found.lower() not in {host, f"www.{host}"}:
        raise BadAddress(
            gettext("Only repositories on %(host)s can be read: https://%(host)s/%(example)s.")
            % {"host": host, "example": EXAMPLE}
        )
    return path


def _checked(path: str) -> str:
    parts = [part for part in path.split("/") if part]
    if len(parts) < 2:
        raise BadAddress(
            _("Name the owner and the repository: https://%(host)s/%(example)s.")
            % {"host": allowed_host(), "example": EXAMPLE}
        )
    owner, name = parts[0], parts[1].removesuffix(".git")
    if not OWNER.fullmatch(owner) or not NAME.fullmatch(name) or name in {".", ".."}:
        raise BadAddress(
            _("%(owner)s/%(name)s is not a repository's name on %(host)s.")
            % {"owner": owner, "name": name, "host": allowed_host()}
        )
    return f"{owner}/{name}"


def product_of(repository: str) -> str:
    """The product's own part of a repository's name: "acme/terraform-provider-rocket" gives "rocket"."""
    return FAMILY.sub("", repository.rpartition("/")[2])


Reader = Callable[[str], dict[str, Any]]
_readers: list[Reader] = []


def read_by(reader: Reader) -> None:
    """The floor above names its reader: a function of an address, as verification.checks.services.prefill.prefill."""
    _readers[:] = [reader]


def look_up(address: str) -> dict[str, Any]:
    """What the repository at the address answers, for a form: see verification.checks.services.prefill.prefill."""
    return _readers[0](address)
