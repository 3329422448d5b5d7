"""What may a company say beside its support record, and how is it kept? In its history, where every version stays."""

import re
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from integrations.partners import permissions
from integrations.submissions.models import Integration
from integrations.submissions.services.transitions import changing
from portal.audit.models import Event
from portal.audit.services import record
from portal.core.errors import NotAllowed
from portal.core.text_fields import Lines
from portal.directory.listing_page import REPLIED, reply_of

LONGEST, MOST_LINES = 600, 6
ADDRESS = re.compile(
    r"(?:https?:)?//[^\s<>\"]+|\bwww\.[^\s<>\"]+|[\w.+-]+@[\w-]+\.[\w.-]+|\b(?:[a-z0-9-]+\.)+(?:[a-z]{2,24})(?:/[^\s<>\"]*)?",
    re.IGNORECASE,
)
NO_HOSTS = {
    "md",
    "tf",
    "hcl",
    "go",
    "py",
    "js",
    "sh",
    "json",
    "yaml",
    "yml",
    "txt",
    "zip",
    "eg",
    "ie",
}  # files, not hosts


class ReplyForm(forms.Form):
    """One text. Blank takes the reply back."""

    text = Lines(
        label=gettext_lazy("Your reply"), required=False, max_length=LONGEST, max_lines=MOST_LINES,
        help_text=gettext_lazy(
            "Everyone reads it beside the record. At most six lines, and no addresses but your own. "
            "Blank takes it back."
        ),
    )  # fmt: skip

    def __init__(self, *args: Any, row: Integration, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.row = row

    def clean_text(self) -> str:
        text: str = self.cleaned_data["text"]
        for address in elsewhere(text, self.row):
            raise ValidationError(
                _("“%(address)s” leads elsewhere. Name your repository, your own pages, or nothing at all.")
                % {"address": address[:80]}
            )
        return text


def elsewhere(text: str, row: Integration) -> list[str]:
    """The addresses in a text that lead away from the company's own pages and its repository."""
    own = {host.lower().removeprefix("www.") for host in _own_hosts(row)}
    return [found for each in ADDRESS.finditer(text) if not _is_own(found := each.group().rstrip(".,;:!?)"), own, row)]


def _own_hosts(row: Integration) -> list[str]:
    return [host for address in (row.homepage, row.partner.website) if (host := urlsplit(address).hostname)]


def _is_own(address: str, own: set[str], row: Integration) -> bool:
    if "@" in address and "/" not in address:
        return address.rpartition("@")[2].lower() in own
    bare = re.sub(r"^(?:https?:)?//", "", address, flags=re.IGNORECASE)
    host, _, rest = bare.partition("/")
    host = host.rpartition("@")[2].partition(":")[0].lower().removeprefix("www.")
    if "//" not in address and host.rpartition(".")[2] in NO_HOSTS:
        return True
    if host == "github.com":
        return f"{rest}/".lower().startswith(f"{row.repository}/".lower())
    return host in own or any(host.endswith(f".{each}") for each in own)


def reply(integration: Integration, text: str, *, by: Any, now: datetime) -> Event | None:
    """Say something beside the record; blank takes it back, the same again changes nothing.

    Raises NotAllowed for who may not speak for the company, and where nothing is shown in public.
    """
    with changing(integration, permissions.may_edit, by=by, now=now) as row:
        if row.released_at is None:
            raise NotAllowed(_("It was never listed, so there is no record to reply to."), "gone")
        before = reply_of(row)
        if text == (before.text if before else ""):
            return None
        return record(row, REPLIED, by=by, now=now, note=text)
