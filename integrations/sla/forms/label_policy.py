"""Forms of label policies."""

import re
from collections.abc import Callable
from functools import partial
from typing import Unpack

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _, gettext_lazy

from integrations.sla.engine.severity import normalize_label
from integrations.sla.models import LabelPolicy
from portal.core.errors import ActionRefused
from portal.core.form_fields import FormArguments, MultiLineField

LOGIN_PATTERN = re.compile(r"^@?[A-Za-z0-9](?:[A-Za-z0-9-]{0,38})$")
MAX_LINES = 40

build_lines_field = partial(MultiLineField, required=False, max_lines=MAX_LINES, rows=5)


def _parse_labels(text: str) -> list[str]:
    labels = sorted({normalize_label(label) for label in text.split("\n")} - {""})
    if long_label := next((label for label in labels if len(label) > 100), ""):
        message = _("“%(label)s…” is too long for a GitHub label. Enter 100 characters or fewer.")
        raise ValidationError(message % {"label": long_label[:40]})
    return labels


class LabelsForm(forms.Form):
    """Label policy form. `resolve_account` returns the GitHub ID of a login or raises ActionRefused."""

    critical = build_lines_field(
        label=gettext_lazy("Critical labels"),
        required=True,
        help_text=gettext_lazy("Enter one label per line. Letter case doesn't matter."),
    )
    pause = build_lines_field(
        label=gettext_lazy("Pause labels"),
        help_text=gettext_lazy("Enter one per line. A pause label pauses the clock together with a request."),
    )
    team = build_lines_field(
        label=gettext_lazy("Team members"),
        help_text=gettext_lazy(
            "GitHub usernames, one per line. Owners, members, and collaborators of the repository already count."
        ),
    )
    bots = build_lines_field(
        label=gettext_lazy("Bot accounts"),
        help_text=gettext_lazy("GitHub usernames, one per line. Their issues and comments don't affect SLA clocks."),
    )
    second_accounts = build_lines_field(
        label=gettext_lazy("Second accounts"),
        help_text=gettext_lazy("Enter one pair per line, second account first. For example, ada-at-work = ada"),
    )

    def __init__(self, *, resolve_account: Callable[[str], int], **kwargs: Unpack[FormArguments]) -> None:
        super().__init__(**kwargs)
        self.resolve_account = resolve_account

    def clean_critical(self) -> list[str]:
        return _parse_labels(self.cleaned_data["critical"])

    def clean_pause(self) -> list[str]:
        return _parse_labels(self.cleaned_data["pause"])

    def clean_team(self) -> dict[int, str]:
        return self._resolve_accounts(self.cleaned_data["team"].split("\n"))

    def clean_bots(self) -> dict[int, str]:
        bots = self._resolve_accounts(self.cleaned_data["bots"].split("\n"))
        team = self.cleaned_data.get("team", {})
        if team_login := next((login for number, login in bots.items() if number in team), ""):
            message = _("“%(login)s” is listed as a team member and as a bot. Remove one of them.")
            raise ValidationError(message % {"login": team_login})
        return bots

    def clean_second_accounts(self) -> list[tuple[tuple[int, str], tuple[int, str]]]:
        lines = [line for line in self.cleaned_data["second_accounts"].split("\n") if line.strip()]
        return [self._resolve_pair(line) for line in lines]

    def _resolve_pair(self, line: str) -> tuple[tuple[int, str], tuple[int, str]]:
        names = line.replace("=", " ").split()
        if len(names) != 2:
            message = _("Enter two accounts instead of “%(line)s”. For example, ada-at-work = ada")
            raise ValidationError(message % {"line": line.strip()[:60]})
        accounts = list(self._resolve_accounts(names).items())
        if len(accounts) != 2:
            message = _("“%(line)s” names the same account twice. Enter two accounts.")
            raise ValidationError(message % {"line": line.strip()[:60]})
        return accounts[0], accounts[1]

    def _resolve_accounts(self, lines: list[str]) -> dict[int, str]:
        logins = [line.strip() for line in lines if line.strip()]
        if invalid_login := next((login for login in logins if not LOGIN_PATTERN.match(login)), ""):
            message = _("“%(login)s” is not a GitHub username. Enter the username only, without a URL.")
            raise ValidationError(message % {"login": invalid_login[:60]})
        try:
            return {self.resolve_account(name): name for name in (login.lstrip("@") for login in logins)}
        except ActionRefused as refusal:
            raise ValidationError(str(refusal)) from None

    @property
    def policy(self) -> LabelPolicy:
        """Return the entered label policy, unsaved."""
        data = self.cleaned_data
        pairs = self.cleaned_data["second_accounts"]
        logins = dict(account for pair in pairs for account in pair) | data["bots"] | data["team"]
        # IDs, because people can rename their accounts. The logins are kept for display only.
        return LabelPolicy(
            critical_labels=data["critical"],
            pause_labels=data["pause"],
            team=sorted(data["team"]),
            bots=sorted(data["bots"]),
            second_accounts={str(second): first for (second, _), (first, _) in sorted(pairs)},
            logins={str(account_id): login for account_id, login in sorted(logins.items())},
        )


class LabelPolicyDecisionForm(forms.Form):
    """Note with a decision on a proposal."""

    note = MultiLineField(
        label=gettext_lazy("Note"),
        required=False,
        max_length=500,
        rows=2,
        help_text=gettext_lazy("Required to decline the proposal. The partner can see it."),
        error_messages={"required": gettext_lazy("Enter a reason. The partner can see it.")},
    )
