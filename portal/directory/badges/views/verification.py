"""Is this statement genuine, and is what it says still so? A page for everybody, and the page of a badge."""

from dataclasses import replace
from typing import Any
from uuid import UUID

from django import forms
from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from integrations.submissions.models import Integration
from portal.core.text_fields import Lines
from portal.directory.badges import embed_codes, rendering, signing_keys
from portal.directory.badges import statements as statement
from portal.directory.badges.statements import Verified
from portal.directory.badges.status import Truth, truth_of
from portal.directory.badges.verification_results import SAID, Said, differs, told
from portal.directory.badges.views.badges import truth_or_404

LONG = gettext_lazy("A statement is shorter than this. Copy the statement alone.")
STYLE_NAMES = {"flat": gettext_lazy("Flat"), "large": gettext_lazy("Large")}


class StatementForm(forms.Form):
    """A statement, pasted or as a file."""

    statement = Lines(
        label=gettext_lazy("Statement"),
        required=False,
        max_length=statement.MOST,
        widget=forms.Textarea(attrs={"rows": 6, "spellcheck": "false", "class": "mono"}),
        help_text=gettext_lazy("As the portal gave it: JSON, or one long word with two dots."),
        error_messages={"max_length": LONG},
    )
    file = forms.FileField(
        label=gettext_lazy("Or its file"), required=False, help_text=gettext_lazy("statement.json or statement.jws")
    )

    def clean_file(self) -> str:
        """The file's text; blank where it holds none."""
        given = self.cleaned_data.get("file")
        if not given:
            return ""
        if given.size > statement.MOST:
            raise forms.ValidationError(LONG)
        return str(given.read().decode("utf-8", "replace"))

    def clean(self) -> dict[str, Any]:
        found: dict[str, Any] = super().clean() or {}
        if not self.errors and not (found.get("statement") or found.get("file")):
            self.add_error("statement", _("Paste a statement, or choose its file."))
        return found


@login_not_required
def verify(request: HttpRequest) -> HttpResponse:
    """Reads a statement that was pasted, uploaded, or named in the address, and says what it is."""
    if request.method == "POST":
        form = StatementForm(request.POST, request.FILES)
    else:
        form = StatementForm(request.GET) if request.GET.get("statement") else StatementForm()
    found = judged(form.cleaned_data["file"] or form.cleaned_data["statement"]) if form.is_valid() else {}
    kid = signing_keys.key_set(settings.BADGE_KEYS[:1])["keys"][0]["kid"]
    context = {"form": form, "recipe": embed_codes.recipe(settings.SITE_URL.rstrip("/"), kid)}
    status = 422 if form.is_bound and not form.is_valid() else 200
    return render(request, "directory/badges/verify.html", context | found, status=status)


def judged(text: str) -> dict[str, Any]:
    """The verdict on a statement, what it says, and what the portal says now."""
    published = signing_keys.public_keys(signing_keys.key_set(settings.BADGE_KEYS))
    found = statement.verify(text, published, settings.SITE_URL, timezone.now())
    truth = present(found)
    return {
        "found": found,
        "said": said_of(found),
        "rows": [(_(word), text) for word, text in told(found)],
        "issued": found.moment("iat"),
        "expires": found.moment("exp"),
        "truth": truth,
        "differs": truth is not None and found.signed and differs(found, truth),
    }


def said_of(found: Verified) -> Said:
    """The verdict in the reader's language."""
    said = SAID[found.verdict]
    return replace(said, heading=_(said.heading), sentence=_(said.sentence))


def present(found: Verified) -> Truth | None:
    """What is so now with the integration that a statement names; None where there is none, or of another portal."""
    try:
        uuid = UUID(str(found.claims.get("integration_id", "")))
    except ValueError:
        return None
    if found.claims.get("iss") != settings.SITE_URL:
        return None
    row = Integration.objects.listed_once().select_related("partner").filter(uuid=uuid).first()
    return truth_of(row) if row else None


@login_not_required
def badge(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Where a badge is taken from: how it looks, what to paste, and what may be done with it."""
    truth = truth_or_404(uuid)
    edition = Integration.objects.get(uuid=uuid).edition
    context = {
        "truth": truth,
        "styles": [(style, STYLE_NAMES[style], embed_codes.snippets(truth, style)) for style in rendering.STYLES],
        "edition": edition,
        "uuid": uuid,
    }
    return render(request, "directory/badges/badge.html", context)


urlpatterns = [
    path("verify/", verify, name="verify"),
    path("listed/<uuid:uuid>/badge/", badge, name="badge"),
]
