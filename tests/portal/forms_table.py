"""Which forms are there, and how is each made with what somebody typed? A new form needs its line here."""

import importlib
import pkgutil
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount, SocialLogin
from django.forms import BaseForm
from django.test import RequestFactory

from integrations.partners import admin as partner_admin
from integrations.partners.forms import members
from integrations.partners.forms.calendar import CalendarForm
from integrations.partners.models import Partner
from integrations.programs.registry import PROGRAMS
from integrations.programs.schema import Field, Kind, Requirement, Who
from integrations.reviews.forms import queue, reviewers
from integrations.reviews.views import edition_migration, transitions
from integrations.reviews.views.partners import ManagerForm
from integrations.sla.filters import SlaFilter
from integrations.sla.views import label_policy
from integrations.sla.views.issue import ReasonForm
from integrations.submissions.forms import (
    agreements,
    attestations,
    buttons,
    credentials,
    documents,
    drafts,
    findings,
    introductions,
    meetings,
    requirements,
    waivers,
)
from integrations.submissions.forms import filters as lists
from integrations.submissions.models import Integration
from portal.accounts import forms as accounts
from portal.accounts.models import User
from portal.analytics.filters import OfficeFilter
from portal.analytics.saved_views.forms import RenameForm, ViewForm
from portal.api.forms import TokenForm
from portal.directory.badges.views.verification import StatementForm
from portal.directory.partner_replies import ReplyForm
from portal.directory.views.installation import ConstraintForm
from portal.notifications.forms import NoticesForm
from portal.reports.forms import WishesForm
from portal.styleguide import views as styleguide
from portal.webhooks.forms import EndpointForm, SinceForm
from portal.webhooks.models import Endpoint
from tests.conftest import NOW
from verification.schemas.forms import ChoicesForm
from verification.schemas.views import schemas
from verification.testruns.kinds.nomad_plugin.forms import RehearseNomad
from verification.testruns.kinds.provider_lifecycle.forms import RehearseLifecycle
from verification.testruns.kinds.run_task.forms import Rehearse

OURS = ("integrations", "verification", "portal")
BASES = {buttons.InPlaceOf, buttons.WithFile, schemas.CompareForm}  # never shown themselves, or never filled in
TIMES = (NOW + timedelta(days=2), NOW + timedelta(days=3))
OPTIONS = (("a", "First"), ("b", "Second"))
QUESTIONS = Requirement(
    "T-1", "Everything that can be asked", Who.PARTNER, Kind.FORM,
    fields=tuple(Field(type_, type_, type_, options=OPTIONS if "choice" in type_ else (), max_lines=3)
                 for type_ in requirements.BUILDERS),
)  # fmt: skip
ROW = Integration(program_key="terraform-provider", edition_date=PROGRAMS["terraform-provider"].newest.date)
Build = Callable[[Any, User], BaseForm]


def request_of(user: User) -> Any:
    request: Any = RequestFactory().post("/")
    request.user, request.session = user, {}
    return request


def passkey(user: User) -> Authenticator:
    return Authenticator(user=user, type=Authenticator.Type.WEBAUTHN, data={"name": "Phone"})


def social(user: User) -> SocialLogin:
    return SocialLogin(user=User(email="new@acme.example"), account=SocialAccount(provider="github", uid="1"))


def sign(data: Any, user: User) -> BaseForm:
    return agreements.Sign(data, request=request_of(user))


def step(name: str) -> Build:
    return lambda data, user: transitions.StepForm(ROW, transitions.transition_of(name), data)


# (form class, what distinguishes the case): how it is made from typed data for a person
FORMS: dict[tuple[type[BaseForm], str], Build] = {
    (agreements.Sign, ""): sign,
    (attestations.Confirm, ""): lambda data, user: attestations.Confirm("It is so", data),
    (credentials.Account, ""): lambda data, user: credentials.Account(data, may_stay=True, there=OPTIONS),
    (credentials.Reveal, ""): lambda data, user: credentials.Reveal(OPTIONS, data),
    (documents.Upload, ""): lambda data, user: documents.Upload(data, request=request_of(user), accept=("pdf",)),
    (introductions.AskForm, ""): lambda data, user: introductions.AskForm(data),
    (lists.ListFilter, ""): lambda data, user: lists.ListFilter(data),
    (meetings.Accept, ""): lambda data, user: meetings.Accept(TIMES, data, has_place=False),
    (meetings.Cancel, ""): lambda data, user: meetings.Cancel(data),
    (meetings.Hold, ""): lambda data, user: meetings.Hold(("Shown",), (), data),
    (meetings.Propose, ""): lambda data, user: meetings.Propose(data),
    (buttons.Press, ""): lambda data, user: buttons.Press(data),
    (buttons.PressOne, ""): lambda data, user: buttons.PressOne(data),
    (queue.QueueFilter, ""): lambda data, user: queue.QueueFilter(data),
    (requirements.RequirementForm, ""): lambda data, user: requirements.RequirementForm(QUESTIONS, data),
    (reviewers.ProfileForm, ""): lambda data, user: reviewers.ProfileForm(data),
    (findings.AnswerForm, ""): lambda data, user: findings.AnswerForm(data),
    (findings.FindingForm, ""): lambda data, user: findings.FindingForm(data),
    (findings.SayForm, ""): lambda data, user: findings.SayForm(data, may_note=True),
    (waivers.Waive, ""): lambda data, user: waivers.Waive(data),
    (waivers.EndWaiver, ""): lambda data, user: waivers.EndWaiver(data),
    (ManagerForm, ""): lambda data, user: ManagerForm(data),
    (partner_admin.PartnerForm, ""): lambda data, user: partner_admin.PartnerForm(data),
    (EndpointForm, "of a company"): lambda data, user: EndpointForm(data, office=False),
    (EndpointForm, "changed"): lambda data, user: EndpointForm(data, office=True, kept=Endpoint(form="webhook")),
    (SinceForm, ""): lambda data, user: SinceForm(data),
    (NoticesForm, ""): lambda data, user: NoticesForm(user, data),
    (OfficeFilter, ""): lambda data, user: OfficeFilter(data or {}),
    (RenameForm, ""): lambda data, user: RenameForm(data),
    (ViewForm, ""): lambda data, user: ViewForm(data, may_share=True),
    (WishesForm, ""): lambda data, user: WishesForm(user, data),
    (accounts.AddEmailForm, ""): lambda data, user: accounts.AddEmailForm(user, data),
    (accounts.AddPasskeyForm, ""): lambda data, user: accounts.AddPasskeyForm(data, user=user),
    (accounts.ChangePasswordForm, ""): lambda data, user: accounts.ChangePasswordForm(user, data),
    (accounts.CodeAgainForm, ""): lambda data, user: accounts.CodeAgainForm(data, user=user),
    (accounts.CodeForm, ""): lambda data, user: accounts.CodeForm(data, user=user),
    (members.CompanyForm, ""): lambda data, user: members.CompanyForm(data),
    (accounts.FirstCodeForm, ""): lambda data, user: accounts.FirstCodeForm(data, user=user),
    (members.InviteForm, ""): lambda data, user: members.InviteForm(data),
    (members.JoinForm, ""): lambda data, user: members.JoinForm(data),
    (accounts.LoginForm, ""): lambda data, user: accounts.LoginForm(data, request=request_of(user)),
    (accounts.PasswordAgainForm, ""): lambda data, user: accounts.PasswordAgainForm(data, user=user),
    (accounts.ProfileForm, ""): lambda data, user: accounts.ProfileForm(data, instance=User(pk=user.pk)),
    (accounts.RenamePasskeyForm, ""): lambda data, user: accounts.RenamePasskeyForm(data, instance=passkey(user)),
    (accounts.ResetPasswordForm, ""): lambda data, user: accounts.ResetPasswordForm(data),
    (accounts.ResetPasswordKeyForm, ""): lambda data, user: accounts.ResetPasswordKeyForm(data, user=user),
    (members.RoleForm, ""): lambda data, user: members.RoleForm(data),
    (accounts.SetPasswordForm, ""): lambda data, user: accounts.SetPasswordForm(user, data),
    (accounts.SignupForm, ""): lambda data, user: accounts.SignupForm(data),
    (accounts.SocialSignupForm, ""): lambda data, user: accounts.SocialSignupForm(data, sociallogin=social(user)),
    (ConstraintForm, ""): lambda data, user: ConstraintForm(data),
    (ChoicesForm, ""): lambda data, user: ChoicesForm(data),
    (schemas.SchemaForm, ""): lambda data, user: schemas.SchemaForm(data),
    (Rehearse, ""): lambda data, user: Rehearse(data),
    (RehearseNomad, ""): lambda data, user: RehearseNomad(data),
    (RehearseLifecycle, ""): lambda data, user: RehearseLifecycle([("a", "First")], data),
    (SlaFilter, ""): lambda data, user: SlaFilter(data or {}, [("acme", "Acme"), ("globex", "Globex")], [("a", "A")]),
    (ReasonForm, ""): lambda data, user: ReasonForm(data),
    (CalendarForm, ""): lambda data, user: CalendarForm(data, now=NOW),
    (label_policy.LabelsForm, ""): lambda data, user: label_policy.LabelsForm(data, account=len),
    (label_policy.AnswerForm, ""): lambda data, user: label_policy.AnswerForm(data),
    (TokenForm, "personal"): lambda data, user: TokenForm(data, program=True, company=False),
    (TokenForm, "company"): lambda data, user: TokenForm(data, program=False, company=True),
    (edition_migration.MoveForm, ""): lambda data, user: edition_migration.MoveForm(ROW, data),
    (transitions.StepForm, "decline"): step("decline"),
    (transitions.StepForm, "put_on_hold"): step("put_on_hold"),
    (transitions.StepForm, "request_tier"): step("request_tier"),
    (ReplyForm, ""): lambda data, user: ReplyForm(
        data, row=Integration(partner=Partner(website="https://acme.example"))
    ),
    (StatementForm, ""): lambda data, user: StatementForm(data),
    (styleguide.SampleForm, ""): lambda data, user: styleguide.SampleForm(data),
    **{
        (drafts.StartForm, key): lambda data, user, program=program: drafts.StartForm(program, program.newest, data)
        for key, program in PROGRAMS.items()
        if key in ("nomad", "terraform-provider")
    },
}


def written() -> set[type[BaseForm]]:
    """Every form class of ours, wherever it is written."""
    for root in map(importlib.import_module, OURS):
        for module in pkgutil.walk_packages(root.__path__, f"{root.__name__}."):
            if not {"migrations", "management"} & set(module.name.split(".")):
                importlib.import_module(module.name)
    return {form for form in _below(BaseForm) if form.__module__.split(".")[0] in OURS}


def _below(form: type[BaseForm]) -> Iterator[type[BaseForm]]:
    for each in form.__subclasses__():
        yield each
        yield from _below(each)
