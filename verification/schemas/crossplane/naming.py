"""Crossplane's names for Terraform's fields, groups and kinds.

Acronyms count in kinds and in the names of secret references, not in the names of other fields.
"""

import re
from dataclasses import dataclass

SPECIAL_WORDS = {
    "cloudformation": "CloudFormation",
    "graphql": "GraphQL",
    "haproxy": "HAProxy",
    "ipset": "IPSet",
    "ipv4": "IPv4",
    "ipv6": "IPv6",
    "mysql": "MySQL",
    "nodejs": "NodeJS",
    "openid": "OpenID",
    "voip": "VoIP",
}
ACRONYMS = frozenset(
    {"acl", "adm", "ai", "alb", "ami", "amqp", "api", "apns", "ascii", "bgp", "ca", "cpu", "css", "db", "dhcp", "dicom"}
    | {"dkim", "dns", "dnssec", "ebs", "ec2", "efs", "eof", "fhir", "fsx", "gcm", "gcp", "gid", "grpc", "guid", "hl7"}
    | {"hmac", "hsm", "html", "http", "https", "iam", "id", "ip", "iscsi", "json", "kms", "lb", "ml", "nat", "nfs"}
    | {"php", "qps", "ram", "rds", "rpc", "rtp", "saml", "sip", "sla", "slo", "smb", "smtp", "sms", "sql", "ssh", "ssl"}
    | {"tcp", "tls", "ts", "ttl", "udp", "ui", "uid", "uri", "url", "utf8", "uuid", "vm", "vpc", "vpn", "xml", "xmpp"}
    | {"xsrf", "xss"}
)
CAPITAL_RUN_PATTERN = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z][a-z]+|[A-Z]+|[a-z]+|\d+")


def build_camel_word(word: str) -> str:
    """Capitalize the first letter of a word and each letter after a digit."""
    letters, capital = [], True
    for letter in word:
        if letter.isalnum():
            letters.append(letter.upper() if capital and letter.isascii() else letter)
            capital = letter.isdigit()
        else:
            capital = True
    return "".join(letters)


def build_field_name(snake: str) -> str:
    """Return the field name in Kubernetes: group_object_id becomes groupObjectId."""
    first, *rest = (build_camel_word(word) for word in snake.split("_"))
    return first.lower() + "".join(rest)


def build_go_name(snake: str) -> str:
    """Return the name with acronyms, as for kinds: group_object_id becomes GroupObjectID."""
    return "".join(_format_known_word(word) or build_camel_word(word) for word in snake.split("_"))


def _format_known_word(word: str) -> str:
    lower = word.lower()
    return SPECIAL_WORDS.get(lower) or (lower.upper() if lower in ACRONYMS else "")


def build_secret_name(snake: str) -> str:
    """Return the name of a secret reference, which splits acronyms at their capitals."""
    return build_field_name(
        "_".join(part.lower() for part in CAPITAL_RUN_PATTERN.findall(build_go_name(snake) + "SecretRef"))
    )


@dataclass(frozen=True, slots=True)
class GroupKind:
    """Short group ("" for the root group) and kind."""

    group: str
    kind: str

    def __str__(self) -> str:
        return f"{self.group}/{self.kind}"


def derive_group_kind(resource: str) -> GroupKind:
    """The second word is the group and the rest the kind; of two words the first is the group.

    >>> str(group_kind("aws_rds_cluster_parameter_group"))
    'rds/ClusterParameterGroup'
    """
    words = resource.split("_")
    if len(words) == 1:
        return GroupKind(words[0].lower(), build_go_name(words[0]))
    if len(words) == 2:
        return GroupKind(words[0].lower(), build_go_name(words[1]))
    return GroupKind(words[1].lower(), build_go_name("_".join(words[2:])))


def list_group_kinds(resource: str) -> tuple[GroupKind, ...]:
    """Return all possible groups and kinds of a name, the generator's default first."""
    words = resource.split("_")
    candidates = [derive_group_kind(resource)]
    for cut in range(1, len(words)):
        group = "".join(words[1:cut]) or words[0]
        candidates.append(GroupKind(group.lower(), build_go_name("_".join(words[cut:]))))
    return tuple(dict.fromkeys(candidates))
