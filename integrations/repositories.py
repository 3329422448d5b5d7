"""Which repository is meant? Reads addresses that people paste; only the one allowed host passes."""

import re
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings

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
        raise BadAddress("Paste the address of the repository.")
    if len(address) > MAX_LENGTH:
        raise BadAddress(f"A repository's address is shorter than {MAX_LENGTH} characters.")
    if not (address.isascii() and address.isprintable()) or " " in address or "\\" in address:
        raise BadAddress(
            f"The address holds characters that no address on {allowed_host()} has; type it in plain letters."
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
            raise BadAddress(f"Paste an address that begins with https://{host}/.")
        found, _, path = rest.partition("/")
        found = found.removeprefix("git@") if scheme.lower() == "ssh" else found
    else:
        first, _, path = address.partition("/")
        if "." not in first and "@" not in first and ":" not in first:
            return address
        found = first
    if found.lower() not in {host, f"www.{host}"}:
        raise BadAddress(f"Only repositories on {host} can be read: https://{host}/{EXAMPLE}.")
    return path


def _checked(path: str) -> str:
    parts = [part for part in path.split("/") if part]
    if len(parts) < 2:
        raise BadAddress(f"Name the owner and the repository: https://{allowed_host()}/{EXAMPLE}.")
    owner, name = parts[0], parts[1].removesuffix(".git")
    if not OWNER.fullmatch(owner) or not NAME.fullmatch(name) or name in {".", ".."}:
        raise BadAddress(f"{owner}/{name} is not a repository's name on {allowed_host()}.")
    return f"{owner}/{name}"


def product_of(repository: str) -> str:
    """The product's own part of a repository's name: "acme/terraform-provider-rocket" gives "rocket"."""
    return FAMILY.sub("", repository.rpartition("/")[2])


Reader = Callable[[str], dict[str, Any]]
_readers: list[Reader] = []


def read_by(reader: Reader) -> None:
    """The floor above names its reader: a function of an address, as verification.prefill.prefill."""
    _readers[:] = [reader]


def look_up(address: str) -> dict[str, Any]:
    """What the repository at the address answers, for a form: see verification.prefill.prefill."""
    return _readers[0](address)
