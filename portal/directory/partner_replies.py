"""Replies of partners to their support record, stored as audit events."""

import re
from datetime import datetime
from typing import Unpack
from urllib.parse import unquote, urlsplit

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _, gettext_lazy

from integrations.partners import permissions
from integrations.submissions.models import Integration
from integrations.submissions.services.changes import change_integration
from portal.accounts.models import User
from portal.audit.models import AuditEvent
from portal.core.errors import ActionRefused
from portal.core.form_fields import FormArguments, MultiLineField
from portal.core.repository_urls import get_allowed_host
from portal.directory.listing_page import REPLY_EVENT_TYPE, get_current_reply

MAX_REPLY_LENGTH = 600
MAX_REPLY_LINES = 6
ADDRESS_PATTERN = re.compile(
    r"(?:https?:)?//[^\s<>\"]+|\bwww\.[^\s<>\"]+|[\w.+-]+@[\w-]+\.[\w.-]+|\b(?:[a-z0-9-]+\.)+(?:[a-z]{2,24})(?:/[^\s<>\"]*)?",
    re.IGNORECASE,
)
# Names with these endings are files, not hosts.
FILE_EXTENSIONS = {"md", "tf", "hcl", "go", "py", "js", "sh", "json", "yaml", "yml", "txt", "zip"}


class ReplyForm(forms.Form):
    """Reply to the support record. An empty text withdraws the reply."""

    text = MultiLineField(
        label=gettext_lazy("Your reply"),
        required=False,
        max_length=MAX_REPLY_LENGTH,
        max_lines=MAX_REPLY_LINES,
        help_text=gettext_lazy(
            "Your reply is public. Enter up to six lines. You can only link to your own pages. Leave blank to withdraw."
        ),
    )

    def __init__(self, *, row: Integration, **kwargs: Unpack[FormArguments]) -> None:
        super().__init__(**kwargs)
        self.row = row

    def clean_text(self) -> str:
        text: str = self.cleaned_data["text"]
        if addresses := find_foreign_addresses(text, self.row):
            message = _("“%(address)s” isn't your page. Link only to your repository or your own pages.")
            raise ValidationError(message % {"address": addresses[0][:80]})
        return text


def find_foreign_addresses(text: str, row: Integration) -> list[str]:
    """Return the addresses in a text that are neither pages of the partner nor its repository."""
    own_hosts = {host.lower().removeprefix("www.") for host in _list_own_hosts(row)}
    return [
        address
        for match in ADDRESS_PATTERN.finditer(text)
        if not _is_own_address(address := match.group().rstrip(".,;:!?)"), own_hosts, row)
    ]


def _list_own_hosts(row: Integration) -> list[str]:
    return [host for address in (row.homepage, row.partner.website) if (host := urlsplit(address).hostname)]


def _is_own_address(address: str, own_hosts: set[str], row: Integration) -> bool:
    if "@" in address and "/" not in address:
        return address.rpartition("@")[2].lower() in own_hosts
    # As in browsers: backslashes are slashes, and the host ends at a query or fragment
    bare_address = re.sub(r"^(?:https?:)?//", "", address.replace("\\", "/"), flags=re.IGNORECASE)
    host, _separator, path = re.split(r"[?#]", bare_address)[0].partition("/")
    host = host.rpartition("@")[2].partition(":")[0].lower().removeprefix("www.")
    # Some of these extensions are also country domains, but a file name is never followed by a path.
    if "//" not in address and not path and host.rpartition(".")[2] in FILE_EXTENSIONS:
        return True
    if host == get_allowed_host().partition(":")[0]:
        is_below = f"{path}/".lower().startswith(f"{row.repository}/".lower())
        # Browsers resolve “..”, even if it is percent-encoded.
        return is_below and ".." not in unquote(path).split("/")
    return host in own_hosts or any(host.endswith(f".{own_host}") for own_host in own_hosts)


def save_reply(integration: Integration, text: str, *, actor: User | None, now: datetime) -> AuditEvent | None:
    """Publish a reply, or withdraw it with an empty text. An unchanged text has no effect.

    Raises:
        ActionRefused: The actor can't edit the integration, or it was never listed.
    """
    with change_integration(integration, permissions.can_edit, actor=actor, now=now) as change:
        row = change.integration
        if row.released_at is None:
            raise ActionRefused(
                _("The integration was never listed, so it has no support record."), "invalid-transition"
            )
        current_reply = get_current_reply(row)
        if text == (current_reply.note if current_reply else ""):
            return None
        return change.record(REPLY_EVENT_TYPE, text)
