"""Addresses that may accompany a holder: email addresses, homepages, and user names."""

import re

from verification.licenses.dictionaries import fold, load_common_english_words
from verification.licenses.lexicon import Kind, get_kind, has_term, is_singular, is_term, load_words

EMAIL = re.compile(r"(?:mailto:)?[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+", re.A)
URL = re.compile(r"(?:https?://)?(?P<host>[\w-]+(?:\.[\w-]+)+)(?::\d{1,5})?(?P<path>/[\w~@.+/-]*)?", re.A)
USER_NAME = re.compile(r"@?[A-Za-z0-9](?:[A-Za-z0-9]|[-_.](?=[A-Za-z0-9])){0,38}")
HARMLESS = frozenset({"free", "license", "licenses", "licensing", "user", "users", "me", "it"})
YEAR = re.compile(r"(?:19|20)\d\d")
SECOND_LEVEL = frozenset({"co", "com", "org", "net", "ac", "edu", "gov", "or", "ne", "gob", "gouv"})

MAX_SEGMENTS = 3
MAX_PARTS = 3  # of an identifier, without words for products


def is_address(text: str) -> bool:
    """Return whether a text is an email address, a homepage, or a user name without words of terms."""
    text = text.strip("<>()[]").rstrip(".,;:")
    if not text.isascii():
        return False
    if text.startswith("@"):
        return bool(USER_NAME.fullmatch(text)) and is_identifier(text[1:])
    if EMAIL.fullmatch(text):
        # Particles such as "van" are ordinary words of their languages, but common in the addresses of people.
        local, _, host = text.removeprefix("mailto:").partition("@")
        particles = "|".join(load_words("particles"))
        return is_identifier(re.sub(rf"(?<=\w)[-_.](?:{particles})(?=[-_.]\w)", "", local)) and is_host(host)
    return is_homepage(text)


def is_homepage(text: str) -> bool:
    """Return whether a text is the URL of a whole site, of a person on it, or of a repository."""
    match = URL.fullmatch(text)
    if match is None or not is_host(match["host"]):
        return False
    host = match["host"].lower()
    path = (match["path"] or "").strip("/")
    if not text.lower().startswith(("http", "www.")) and host.rsplit(".", 1)[-1] not in load_words("domains"):
        return False
    segments = path.split("/") if path else []
    if host.removeprefix("www.") not in load_words("code_hosts"):
        return not segments or (len(segments) == 1 and path.startswith("~") and is_identifier(path[1:]))
    return len(segments) <= MAX_SEGMENTS and all(is_identifier(segment) for segment in segments)


def is_host(host: str) -> bool:
    """Return whether a host name is that of a site, without ordinary words such as "rules" before the name."""
    labels = host.lower().removeprefix("www.").split(".")[:-1]
    while len(labels) > 1 and labels[-1] in SECOND_LEVEL:
        labels.pop()
    usual = load_words("products") | load_words("neutral") | load_words("services")
    parts = [part for label in labels[:-1] if label not in usual for part in label.split("-")]
    # "rules.acme.com" could state terms, so words before the site's name must not be ordinary.
    is_plain = any(len(part) > 2 and part in load_common_english_words() for part in parts)
    return not is_plain and all(is_identifier(label) for label in labels)


def is_identifier(label: str) -> bool:
    """Return whether a user name or a part of an address has no terms and isn't made of ordinary words."""
    parts = [part for part in re.split(r"[-_.+~@]+", label) if part]
    if not parts or label.lower() in HARMLESS:
        return bool(parts)
    if is_term(fold(label)) or has_term(label) or (len(parts) > 2 and all(len(part) == 1 for part in parts)):
        return False
    rest = [part for part in parts if fold(part) not in load_words("products") and not part.isdigit()]
    is_product = len(parts) - len(rest) > 1  # "terraform-provider-random"
    if len(rest) > MAX_PARTS:
        return False
    kinds = [get_kind(part) for part in rest]
    if len(rest) < len(parts) and not all(is_singular(fold(part)) for part in rest if get_kind(part) is Kind.WORD):
        return False
    if Kind.TERM in kinds or any(YEAR.fullmatch(part) for part in parts) or kinds.count(Kind.WORD) > 1 + is_product:
        return False
    is_named = set(kinds) != {Kind.WORD} or not load_words("emblems").isdisjoint(parts)
    return len(parts) == 1 or len(rest) < len(parts) or is_named


def is_handle(text: str) -> bool:
    """Return whether a text is a user name with an at sign, or a project in one word with hyphens, dots, or digits."""
    if not USER_NAME.fullmatch(text) or text.isdigit() or not is_identifier(text):
        return False
    return text.startswith("@") or len(re.split(r"[-_.]+", text)) > 1
