"""Which companies are there, and who looks after them? For people of the program."""

from django import forms
from django.contrib import messages
from django.contrib.auth import get_user_model
from django.db.models import Count, Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import path
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from integrations.partners import permissions
from integrations.partners import presenters as shown
from integrations.partners.models import Membership, Partner
from integrations.submissions.services import creation
from integrations.submissions.workflow.states import ENDS
from portal.core.errors import NotAllowed
from portal.core.text_fields import searched
from portal.ui.pagination import page_of
from portal.ui.refusals import refused

LATELY = 20


class ManagerForm(forms.Form):
    """Who the company writes to. Nobody: the program's mailbox is shown."""

    manager = forms.ModelChoiceField(
        label=gettext_lazy("Alliances manager"),
        queryset=get_user_model().objects.none(),
        required=False,
        empty_label=gettext_lazy("Nobody: the program's mailbox is shown"),
    )

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        people = get_user_model().objects.filter(is_active=True).filter(Q(is_reviewer=True) | Q(is_staff=True))
        self.fields["manager"].queryset = people.order_by("name")  # type: ignore[attr-defined]


def companies(request: HttpRequest) -> HttpResponse:
    """Every company with its integrations counted, by name or by words in it."""
    only_for_program(request)
    words = searched(request.GET.get("q", ""))
    context = {"page": page_of(request, found(words)), "q": words}
    return render(request, "reviews/partners.html", context)


def found(words: str) -> QuerySet[Partner]:
    """The companies by name, those with the words in name or domain, each with its `open` and `listed` counted."""
    rows = Partner.objects.select_related("alliances_manager").annotate(
        open=Count("integrations", filter=~Q(integrations__stage__in=[str(s) for s in ENDS])),
        listed=Count("integrations", filter=~Q(integrations__standing__in=["none", "removed"])),
    )
    if words:
        rows = rows.filter(Q(name__icontains=words) | Q(domain__icontains=words))
    return rows.order_by("name")


def company_page(request: HttpRequest, slug: str) -> HttpResponse:
    """One company as the program sees it; its Alliances manager is named here."""
    only_for_program(request)
    partner = get_object_or_404(Partner.objects.select_related("alliances_manager"), slug=slug)
    form = ManagerForm(request.POST or None, initial={"manager": partner.alliances_manager})
    if request.method == "POST" and form.is_valid():
        try:
            manager = form.cleaned_data["manager"]
            creation.assign_manager(partner, manager, by=request.user, now=timezone.now())
            messages.success(
                request,
                _("%(value)s looks after %(name)s from now on.")
                % {"value": manager or _("The mailbox"), "name": partner.name},
            )
        except NotAllowed as refusal:
            refused(request, refusal)
        return redirect("partner", slug)
    people = Membership.objects.filter(partner=partner, ended_at=None).select_related("user").order_by("joined_at")
    rows = partner.integrations.order_by("-created_at")
    context = {"partner": partner, "form": form, "people": people, "page": page_of(request, rows)} | {
        "agreements": shown.agreements_of(partner),
        "may_read": permissions.may_download(partner, request.user, is_agreement=True),
        "events": shown.history_of(partner, with_people=False)[:LATELY],
    }
    return render(request, "reviews/partner.html", context)


def only_for_program(request: HttpRequest) -> None:
    """Partners have no list of companies."""
    if not permissions.works_for_program(request.user):
        raise Http404(_("There is nothing here for you."))


urlpatterns = [
    path("companies/", companies, name="companies"),
    path("companies/<slug:slug>/", company_page, name="partner"),
]
