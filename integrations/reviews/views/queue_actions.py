"""Actions on the selected items of the review queue."""

from contextlib import suppress
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse, QueryDict
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _, ngettext, ngettext_lazy

from integrations.reviews.forms.queue import BulkActionForm
from integrations.reviews.selectors.queue_rows import PAGE_SIZE
from integrations.reviews.services.bulk import perform_bulk_action
from integrations.reviews.views.queue import REFUSED_INPUTS_KEY, SELECTION_KEY, redirect_to_queue
from integrations.submissions.access import require_program_staff
from integrations.submissions.models import Integration
from portal.accounts.requests import AuthenticatedRequest

MAX_REFUSALS = 5
RESULTS = {
    "assign": ngettext_lazy("Assigned %(count)s item.", "Assigned %(count)s items.", "count"),
    "claim": ngettext_lazy("Claimed %(count)s item.", "Claimed %(count)s items.", "count"),
    "snooze": ngettext_lazy("Snoozed %(count)s item.", "Snoozed %(count)s items.", "count"),
    "end_snooze": ngettext_lazy(
        "Returned %(count)s item to the queue.", "Returned %(count)s items to the queue.", "count"
    ),
    "remind": ngettext_lazy("Sent %(count)s reminder.", "Sent %(count)s reminders.", "count"),
    "grant_tier": ngettext_lazy("Granted %(count)s tier.", "Granted %(count)s tiers.", "count"),
    "decline_tier": ngettext_lazy("Declined %(count)s tier.", "Declined %(count)s tiers.", "count"),
}


def perform_queue_action(request: AuthenticatedRequest) -> HttpResponse:
    """Perform an action on the selected items, and return to the queue with the same selection.

    After a sign-in, show the input in a form.
    """
    require_program_staff(request)
    if request.method != "POST":
        unsent = request.unsent()
        return _restore_form(request, unsent) if unsent else redirect_to_queue(request)
    # A page has no more rows, and each of them takes a transaction.
    uuids = _parse_uuids(request.POST.getlist("row")[:PAGE_SIZE])
    form = BulkActionForm(data=request.POST)
    is_done = False
    if not uuids:
        messages.error(request, _("Select at least one item."))
    elif form.is_valid():
        is_done = _perform(request, uuids, form)
    else:
        for error in form.errors.get("action", ()):  # which no visible field shows
            messages.error(request, str(error))
    if not is_done:
        request.session[REFUSED_INPUTS_KEY] = {name: request.POST.get(name, "") for name in form.fields}
    request.session[SELECTION_KEY] = [str(uuid) for uuid in uuids]
    return redirect_to_queue(request)


def _restore_form(request: AuthenticatedRequest, unsent: QueryDict) -> HttpResponse:
    uuids = _parse_uuids(unsent.getlist("row")[:PAGE_SIZE])
    context = {
        "integrations": Integration.objects.visible_to(request.user).filter(uuid__in=uuids).order_by("name_key", "pk"),
        "form": BulkActionForm(initial=unsent.dict()),
        "is_snoozed": unsent.get("action") == "end_snooze",
        "queue_query": unsent.get("queue_query", ""),
    }
    return render(request, "reviews/restored_bulk_action.html", context)


def _parse_uuids(values: list[str]) -> list[UUID]:
    """Return the valid UUIDs."""
    uuids = []
    for value in values:
        with suppress(ValueError):
            uuids.append(UUID(value))
    return uuids


def _perform(request: AuthenticatedRequest, uuids: list[UUID], form: BulkActionForm) -> bool:
    """Perform the action and report the result. Return whether no item was refused."""
    integrations = Integration.objects.visible_to(request.user).filter(uuid__in=uuids).select_related("partner")
    action = form.cleaned_data["action"]
    inputs = form.get_inputs()
    count, refusals = perform_bulk_action(
        integrations.order_by("pk"), action, inputs, actor=request.user, now=timezone.now()
    )
    if count:
        messages.success(request, RESULTS[action] % {"count": count})
    for refusal in refusals[:MAX_REFUSALS]:
        messages.error(request, refusal)
    if len(refusals) > MAX_REFUSALS:
        count = len(refusals) - MAX_REFUSALS
        text = ngettext("%(count)s more item didn't change.", "%(count)s more items didn't change.", count)
        messages.error(request, text % {"count": count})
    return not refusals
