"""TXT record lookups, which prove that a company controls a domain."""

import dns.exception
import dns.name
import dns.nameserver
import dns.resolver
from django.conf import settings

DEFAULT_DNS_PORT = 53
LOOKUP_SECONDS = 5


class DnsUnavailableError(Exception):
    """DNS gave no usable answer: an outage, not a missing record."""


def fetch_txt_records(name: str) -> list[str]:
    """Return the TXT records of a name, an empty list without any. Raises DnsUnavailableError."""
    try:
        query_name = dns.name.from_text(name, idna_codec=dns.name.IDNA_2008_Practical)
    except dns.exception.DNSException:
        return []  # DNS has no such names, for example of more than 255 bytes
    try:
        # Without the search list of the host, which would look up other names too.
        answer = _build_resolver().resolve(query_name, "TXT", lifetime=LOOKUP_SECONDS, search=False)
    except (dns.resolver.NXDOMAIN, dns.resolver.NoAnswer):
        return []
    except (dns.exception.DNSException, OSError) as error:
        raise DnsUnavailableError(str(error)) from error
    # RFC 1035, section 3.3.14: a record has one or more strings, into which long values are split.
    return [b"".join(record.strings).decode("utf-8", "replace") for record in answer]


def _build_resolver() -> dns.resolver.Resolver:
    """Return a resolver of the servers in the settings, or of those of the system."""
    if not settings.DNS_SERVERS:
        return dns.resolver.Resolver()
    resolver = dns.resolver.Resolver(configure=False)
    resolver.nameservers = [_build_nameserver(server) for server in settings.DNS_SERVERS]
    return resolver


def _build_nameserver(server: str) -> dns.nameserver.Nameserver:
    address, _separator, port = server.partition("#")
    return dns.nameserver.Do53Nameserver(address, int(port or DEFAULT_DNS_PORT))
