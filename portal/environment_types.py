"""Types of environment variables: how a text becomes a value, and what to say about one that is invalid."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from email.utils import getaddresses
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Annotated, Literal, get_args, get_origin
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from annotated_types import Ge, Le
from django.conf.locale import LANG_INFO
from pydantic import AfterValidator, BeforeValidator, Field, SecretStr
from pydantic.fields import FieldInfo

from portal.core.client_ip import TrustedProxies, parse_trusted_proxies, unmap_network
from portal.database_url import parse_database_url

KEY_ID_PATTERN = re.compile(r"[A-Za-z0-9-]{1,16}")
TYPE_NAMES: dict[object, str] = {bool: "yes or no", Path: "folder", SecretStr: "secret", str: "text"}


@dataclass(frozen=True, slots=True)
class TypeName:
    """Name of an annotated type in the documentation."""

    text: str


def describe_type(field: FieldInfo) -> str:
    """Return what a variable holds, such as "a whole number of at least 1"."""
    names = [item.text for item in field.metadata if isinstance(item, TypeName)]
    if names:
        return names[0]
    if get_origin(field.annotation) is Literal:
        return join_options(get_args(field.annotation))
    if field.annotation is int:
        return _describe_range(field.metadata)
    return TYPE_NAMES[field.annotation]


def _describe_range(metadata: Sequence[object]) -> str:
    (minimum,) = (item.ge for item in metadata if isinstance(item, Ge))
    for item in metadata:
        if isinstance(item, Le):
            return f"a whole number from {minimum} to {item.le}"
    return f"a whole number of at least {minimum}"


def join_options(options: Sequence[str]) -> str:
    """Return "a, b, or c"."""
    if len(options) < 3:
        return " or ".join(options)
    return f"{', '.join(options[:-1])}, or {options[-1]}"


def split_list(value: str) -> list[str]:
    """Return the items of a comma-separated list."""
    return [item.strip() for item in value.split(",") if item.strip()]


def build_url_validator(*schemes: str) -> Callable[[str], str]:
    """Return a function that checks the scheme of a URL and removes its trailing slash."""

    def validate_url(value: str) -> str:
        parts = urlsplit(value)
        location = parts.path if parts.scheme == "unix" else parts.netloc
        if value and (parts.scheme not in schemes or not location):
            ending = "" if "@" in value else f", not {value!r}"  # before an @ is a password
            raise ValueError(f"must be a URL that begins with {join_options([f'{s}://' for s in schemes])}{ending}")
        # Paths that are appended begin with a slash.
        return value.rstrip("/")

    return validate_url


def _validate_broker_url(value: SecretStr) -> SecretStr:
    return SecretStr(build_url_validator("redis", "rediss", "unix")(value.get_secret_value()))


def _validate_database_url(value: SecretStr) -> SecretStr:
    parse_database_url(value.get_secret_value())
    return value


def _parse_proxies(value: str) -> TrustedProxies:
    try:
        return parse_trusted_proxies(value)
    except ValueError as error:
        raise ValueError(f"must be {error}") from None


def _validate_language(code: str) -> str:
    if "name_local" not in LANG_INFO.get(code, {}):
        raise ValueError(f"must list language codes, such as en or de, not {code!r}")
    return code


def _validate_zone(value: str) -> str:
    try:
        return ZoneInfo(value).key
    # ZoneInfo raises ValueError for a text that isn't a relative path.
    except (ZoneInfoNotFoundError, ValueError):
        raise ValueError(f"must be a time zone such as Europe/Paris, not {value!r}") from None


def _validate_sender(value: str) -> str:
    # Without quotes, a name with a comma is read as two addresses, and no email could be sent.
    addresses = [address for _, address in getaddresses([value])]
    if len(addresses) != 1 or "@" not in addresses[0]:
        raise ValueError(f'must be one address, such as "Acme, Inc." <portal@acme.example>, not {value!r}')
    return value


def _validate_dns_server(server: str) -> str:
    address, _, port = server.partition("#")
    try:
        ip_address(address)
        if int(port or 53) not in range(1, 65536):
            raise ValueError
    except ValueError:
        raise ValueError(f"must list IP addresses, such as 192.0.2.53 or 192.0.2.53#5353, not {server!r}") from None
    return server


def _normalize_network(network: str) -> str:
    try:
        # Addresses are compared as IPv4, even if they were written within IPv6.
        return str(unmap_network(ip_network(network)))
    except ValueError:
        raise ValueError(f"must list networks without host bits, such as 203.0.113.0/24, not {network!r}") from None


def _split_pairs(value: str, separator: str, expected: str) -> Iterator[tuple[str, str]]:
    """Yield both parts of each item of a comma-separated list."""
    for item in split_list(value):
        name, _, text = item.partition(separator)
        if not (name and text):
            raise ValueError(f"must list {expected}, not {item!r}")
        yield name, text


def _parse_editions(value: str) -> dict[str, str]:
    return dict(_split_pairs(value, "@", "PROGRAM@EDITION, separated by commas, such as nomad@2021-10"))


def _parse_group_roles(value: str) -> dict[str, tuple[str, ...]]:
    """Return the roles of each group. A group that is listed several times has several roles."""
    roles: dict[str, tuple[str, ...]] = {}
    for group, role in _split_pairs(value, "=", "GROUP=ROLE, separated by commas, such as nomad-team=manager:nomad"):
        roles[group] = (*roles.get(group, ()), role)
    return roles


def _parse_keys(value: str) -> dict[str, str]:
    """Return secrets by ID, in their order. An error names no secret."""
    secrets: dict[str, str] = {}
    for position, item in enumerate(split_list(value), start=1):
        key_id, _, secret = item.partition(":")
        if not (secret and KEY_ID_PATTERN.fullmatch(key_id)):
            raise ValueError(
                f"must list ID:SECRET, separated by commas, newest first; entry {position} does not match. "
                "An ID has up to 16 letters, digits, or hyphens"
            )
        # The order of the keys matters, and a repetition would have two places in it.
        if key_id in secrets:
            raise ValueError(f"contains the ID {key_id} twice")
        secrets[key_id] = secret
    return secrets


Count = Annotated[int, Field(ge=0)]
PositiveCount = Annotated[int, Field(ge=1)]
Port = Annotated[int, Field(ge=1, le=65535)]
TextList = Annotated[list[str], BeforeValidator(split_list), TypeName("list")]
SecretList = Annotated[list[SecretStr], BeforeValidator(split_list), TypeName("list of secrets")]
KeyRing = Annotated[dict[str, SecretStr], BeforeValidator(_parse_keys), TypeName("list of ID:SECRET")]
Editions = Annotated[dict[str, str], BeforeValidator(_parse_editions), TypeName("list of PROGRAM@EDITION")]
GroupRoles = Annotated[dict[str, tuple[str, ...]], BeforeValidator(_parse_group_roles), TypeName("list of GROUP=ROLE")]
Proxies = Annotated[TrustedProxies, BeforeValidator(_parse_proxies), TypeName("number or networks")]
Language = Annotated[str, AfterValidator(_validate_language)]
Languages = Annotated[list[Language], BeforeValidator(split_list), TypeName("list of codes")]
DnsServer = Annotated[str, AfterValidator(_validate_dns_server)]
DnsServers = Annotated[list[DnsServer], BeforeValidator(split_list), TypeName("list of IP[#PORT]")]
Network = Annotated[str, AfterValidator(_normalize_network)]
Networks = Annotated[list[Network], BeforeValidator(split_list), TypeName("list of networks")]
TimeZone = Annotated[str, AfterValidator(_validate_zone), TypeName("time zone")]
Sender = Annotated[str, AfterValidator(_validate_sender), TypeName("email address")]
WebUrl = Annotated[str, AfterValidator(build_url_validator("http", "https")), TypeName("URL")]
BrokerUrl = Annotated[SecretStr, AfterValidator(_validate_broker_url), TypeName("URL")]
DatabaseUrl = Annotated[SecretStr, AfterValidator(_validate_database_url), TypeName("URL")]
