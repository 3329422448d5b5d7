"""Public pages that verify a statement and show the embed codes of a badge."""

from uuid import UUID

from django import forms
from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _, gettext_lazy

from integrations.submissions.models import Integration
from portal.core.form_fields import MultiLineField
from portal.core.value_types import NamedValues
from portal.directory.badges import embed_codes, rendering, signing_keys, statements
from portal.directory.badges.statements import VerificationResult
from portal.directory.badges.status import BadgeStatus, find_badge_status
from portal.directory.badges.verification_results import TEXTS, list_claims
from portal.directory.badges.views.badges import get_badge_status_or_404

TOO_LONG_MESSAGE = gettext_lazy("The text is too long for a statement. Paste only the statement.")
STYLE_NAMES = {"flat": gettext_lazy("Flat"), "large": gettext_lazy("Large")}


class StatementForm(forms.Form):
    """Statement as text or as a file."""

    statement = MultiLineField(
        label=gettext_lazy("Statement"),
        required=False,
        max_length=statements.MAX_STATEMENT_CHARACTERS,
        widget=forms.Textarea(attrs={"rows": 6, "spellcheck": "false", "class": "mono"}),
        help_text=gettext_lazy("Paste the JSON or the compact form with two dots."),
        error_messages={"max_length": TOO_LONG_MESSAGE},
    )
    file = forms.FileField(
        label=gettext_lazy("Statement file"), required=False, help_text=gettext_lazy("statement.json or statement.jws")
    )

    def clean_file(self) -> str:
        """Return the text of the file, or an empty string."""
        uploaded_file = self.cleaned_data.get("file")
        if not uploaded_file:
            return ""
        if uploaded_file.size > statements.MAX_STATEMENT_CHARACTERS:
            raise forms.ValidationError(TOO_LONG_MESSAGE)
        # A file that isn't text is an unreadable statement and gets that verdict.
        return str(uploaded_file.read().decode("utf-8", "replace"))

    def clean(self) -> dict[str, object]:
        cleaned_data: NamedValues = super().clean() or {}
        if not self.errors and not (cleaned_data.get("statement") or cleaned_data.get("file")):
            self.add_error("statement", _("Paste a statement or select a file."))
        return cleaned_data


@login_not_required
def verify_badge(request: HttpRequest) -> HttpResponse:
    """Verify a statement from the form or the query string."""
    if request.method == "POST":
        form = StatementForm(request.POST, request.FILES)
    else:
        form = StatementForm(request.GET) if request.GET.get("statement") else StatementForm()
    evaluation = (
        evaluate_statement(form.cleaned_data["file"] or form.cleaned_data["statement"]) if form.is_valid() else {}
    )
    key_id = signing_keys.build_key_set(settings.BADGE_SIGNING_KEYS[:1])["keys"][0]["kid"]
    context = {"form": form, "recipe": embed_codes.build_verification_commands(settings.SITE_URL, key_id)}
    status = 422 if form.is_bound and not form.is_valid() else 200
    return render(request, "directory/badges/verify.html", context | evaluation, status=status)


def evaluate_statement(text: str) -> dict[str, object]:
    """Return the context with the verdict, the claims, and the current status."""
    public_keys = signing_keys.parse_public_keys(signing_keys.build_key_set(settings.BADGE_SIGNING_KEYS))
    result = statements.verify_statement(text, public_keys, settings.SITE_URL, timezone.now())
    status = get_current_status(result)
    claimed_status = [result.claims.get(name, "") for name in ("program", "tier", "listing_status")]
    return {
        "result": result,
        "verdict": TEXTS.verdicts[result.verdict],
        "rows": [(_(label), value) for label, value in list_claims(result)],
        "issued": result.get_moment("iat"),
        "expires": result.get_moment("exp"),
        "status": status,
        # Claims that none of the keys signed can't be compared with anything.
        "differs": status is not None
        and result.signed
        and claimed_status != [status.program_key, status.tier_key, status.listing_status],
    }


def get_current_status(result: VerificationResult) -> BadgeStatus | None:
    """Return the current status of the integration in a statement of this portal, or None."""
    try:
        uuid = UUID(str(result.claims.get("uuid", "")))
    except ValueError:
        return None
    # A statement of another portal says nothing about an integration of this one.
    if result.claims.get("iss") != settings.SITE_URL:
        return None
    return find_badge_status(uuid)


@login_not_required
def show_badge(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Show a badge with its embed codes and terms of use."""
    badge_status = get_badge_status_or_404(uuid)
    edition = Integration.objects.get(uuid=uuid).edition
    context = {
        "status": badge_status,
        "styles": [
            (style, STYLE_NAMES[style], embed_codes.build_embed_codes(badge_status, style))
            for style in rendering.RENDERERS_BY_STYLE
        ],
        "edition": edition,
    }
    return render(request, "directory/badges/badge.html", context)
