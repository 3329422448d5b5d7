"""What does each version of the provider offer, and what has changed? Hand in a schema, see the history, compare."""

from typing import Any
from uuid import UUID

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path, reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from integrations.submissions.models import Integration
from integrations.submissions.views.mixins import load, pressed
from portal.core.errors import NotAllowed
from portal.core.uploads import most_bytes, oversized, too_large
from portal.ui.refusals import refused
from verification.checks.services.runs import may_ask
from verification.checks.views.results import STOP_POLLING
from verification.releases.artifacts import file_names
from verification.schemas import services
from verification.schemas.engine.types import Unreadable
from verification.schemas.models import StoredSchema
from verification.terraform.versions import BadVersion, Version, parse
from verification.testruns.models import SchemaReading
from verification.testruns.services import provider_schema_inspections

PAGE = "schemas/history.html"
COMMAND = "terraform providers schema -json > schema.json"


class SchemaForm(forms.Form):
    """The output of the command for one version."""

    version = forms.CharField(
        label=gettext_lazy("Version of the provider"),
        max_length=100,
        help_text=gettext_lazy("As in 1.4.0, without a v."),
    )
    file = forms.FileField(
        label=gettext_lazy("Schema"),
        help_text=gettext_lazy("The output of “terraform providers schema -json”, or the same packed as .gz."),
        error_messages={
            "required": gettext_lazy("Choose a file."),
            "empty": gettext_lazy("This file is empty."),
            "missing": gettext_lazy("Choose a file."),
        },
    )

    def __init__(self, *args: Any, left_out: frozenset[str] = frozenset(), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.left_out = left_out

    def clean_version(self) -> Version:
        try:
            return parse(str(self.cleaned_data["version"]).strip())
        except BadVersion as sentence:
            raise forms.ValidationError(str(sentence)) from sentence

    def clean_file(self) -> Any:
        file = self.cleaned_data["file"]
        if file.size > most_bytes():
            raise forms.ValidationError(too_large())
        return file

    def add_too_large(self) -> None:
        """Say so where the file was left out on its way, which otherwise reads as none chosen."""
        if "file" in self.left_out:
            self.errors.pop("file", None)
            self.add_error("file", too_large())


class CompareForm(forms.Form):
    """Two of the versions that are kept; the address names them `from` and `version`."""

    def __init__(self, *, old: str, new: str, versions: list[str]) -> None:
        super().__init__(initial={"from": old, "version": new})
        listed = [(version, version) for version in versions]
        self.fields["from"] = forms.ChoiceField(label=_("From"), choices=listed)
        self.fields["version"] = forms.ChoiceField(label=_("To"), choices=listed)


def schemas(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """The history, newest first, each version against the one before; and the form to hand one in."""
    found = load(request, uuid)
    if not file_names.REPOSITORY.fullmatch(found.repository.partition("/")[2]):
        raise Http404(_("Only a Terraform provider has a schema."))
    form = SchemaForm()
    if request.method == "POST":
        form = SchemaForm(request.POST, request.FILES, left_out=frozenset(oversized(request)))
        kept = _handed_in(request, found, form)
        if kept is not None:
            said = _("The schema of %(version)s is kept: %(count)s resources.")
            messages.success(request, said % {"version": kept.version, "count": kept.resources})
            return redirect(f"{reverse('schemas', args=[uuid])}#top")  # where the message is, not the form
    context = {
        "integration": found,
        "rows": services.known(found),
        "form": form if services.may_give(found, request.user) else None,
        "command": COMMAND,
    }
    return _page(request, found, context, 422 if form.errors else 200)


def _page(request: HttpRequest, found: Integration, context: dict[str, Any], status: int) -> HttpResponse:
    """The page; htmx asks for what is new of the reading that is under way."""
    readings = SchemaReading.objects.filter(integration=found).select_related("requested_by")
    reading = readings.first()
    running = reading is not None and reading.finished_at is None
    context |= {
        "reading": reading,
        "running": running,
        "last": readings.exclude(finished_at=None).first(),
        "may_ask": found.is_open and may_ask(found, request.user),
    }
    if request.htmx and running:  # type: ignore[attr-defined]
        return render(request, f"{PAGE}#live", context)
    if request.htmx:  # type: ignore[attr-defined]
        return HttpResponse(status=STOP_POLLING, headers={"HX-Refresh": "true"})  # the table of versions is new too
    return render(request, PAGE, context, status=status)


@pressed("schemas")
def schema_read(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """Have the newest release's schema read from the provider itself."""
    found = load(request, uuid)
    if not provider_schema_inspections.is_read(found):
        raise Http404(_("Only a Terraform provider has a schema."))
    try:
        provider_schema_inspections.begin(found, by=request.user, now=timezone.now())
    except NotAllowed as refusal:
        refused(request, refusal)
    return redirect("schemas", uuid)


def _handed_in(request: HttpRequest, found: Integration, form: SchemaForm) -> StoredSchema | None:
    """The row that was kept; None with the form's sentences where there is something to put right."""
    if not services.may_give(found, request.user):
        raise PermissionDenied(_(services.REFUSAL))
    if not form.is_valid():
        form.add_too_large()
        return None
    version, file = form.cleaned_data["version"], form.cleaned_data["file"]
    try:
        return services.store(found, version, file.read(), by=request.user, now=timezone.now())
    except Unreadable as sentence:
        form.add_error("file", str(sentence))
    except NotAllowed as refusal:
        form.add_error(None, str(refusal))
    return None


def pair_of(found: Integration, version: str, older: str) -> tuple[StoredSchema, StoredSchema]:
    """The older and the newer one of two versions; blank: the one before, the newest. Raises Http404."""
    new = services.row_of(found, version)
    if new is None:
        raise Http404(_("No schema of this version is kept."))
    older = older or services.before(found, new.version)
    old = services.row_of(found, older) if older else None
    if old is None:
        raise Http404(_("There is no other version to compare it with."))
    return old, new


def schema_changes(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """What breaks from one version (`from`; the one before) to another (`version`; the newest)."""
    found = load(request, uuid)
    old, new = pair_of(found, request.GET.get("version", ""), request.GET.get("from", ""))
    changes, said = services.between(old, new)
    form = CompareForm(old=old.version, new=new.version, versions=[row.version for row in services.known(found)])
    context = {"integration": found, "old": old, "new": new, "changes": changes, "said": said, "form": form}
    return render(request, "schemas/changes.html", context)


urlpatterns = [
    path("integrations/<uuid:uuid>/schemas/", schemas, name="schemas"),
    path("integrations/<uuid:uuid>/schemas/read/", schema_read, name="schema_read"),
    path("integrations/<uuid:uuid>/schemas/changes/", schema_changes, name="schema_changes"),
]
