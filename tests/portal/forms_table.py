"""All forms, and how each is created with submitted data. Add a line for a new form."""

import importlib
import pkgutil
from collections.abc import Callable, Iterator
from typing import Any, get_args

from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount, SocialLogin
from django.forms import BaseForm
from django.test import RequestFactory

from integrations.partners import admin as partner_admin
from integrations.partners.forms import members
from integrations.partners.forms.verification import OrganizationForm
from integrations.partners.models import Partner
from integrations.programs.field_types import FieldType
from integrations.programs.registry import PROGRAMS
from integrations.programs.requirements import FulfillingParty, Question, Requirement, RequirementKind
from integrations.programs.schema import Program
from integrations.reviews.forms import queue, reviewers
from integrations.reviews.forms.email_draft import EmailDraftForm
from integrations.reviews.forms.filters import AgreementFilterForm, PartnerFilterForm
from integrations.reviews.forms.partners import (
    AlliancesManagerForm,
    MergeNoteForm,
    MergeTargetForm,
    OwnerForm,
    PartnerDecisionForm,
)
from integrations.reviews.forms.reviewers import ConflictForm, RebalancingForm
from integrations.reviews.views import edition_migration, transitions
from integrations.sla.filters import SlaFilterForm, parse_filters
from integrations.sla.forms.calendar import CalendarForm
from integrations.sla.forms.issues import DisputeForm, ReasonForm
from integrations.sla.views import label_policy
from integrations.submissions.forms import drafts, filters as lists, findings, requirements
from integrations.submissions.models import Integration
from integrations.submissions.views.requirements import page as requirement_page
from integrations.submissions.views.requirements.opening import PAGES_BY_KIND, list_actions
from integrations.submissions.views.requirements.page import build_requirement_page
from portal.accounts import forms as accounts, people_forms
from portal.accounts.models import User
from portal.analytics.filters import AnalyticsFilterForm
from portal.analytics.saved_views.forms import SavedViewForm, SharableViewForm
from portal.api.forms import TokenForm
from portal.directory.badges.views.verification import StatementForm
from portal.directory.partner_replies import ReplyForm
from portal.directory.views.installation import ConstraintForm
from portal.inbox.forms import AuditLogFilterForm, NotificationPreferencesForm
from portal.reports.forms import (
    ExternalRecipientForm,
    FrequencyForm,
    ReportFilterForm,
    ReportScheduleForm,
    ReportSubscriptionsForm,
)
from portal.styleguide import views as styleguide
from portal.ui.name_confirmation import NameConfirmationForm
from portal.webhooks.forms import EndpointForm, ReplayForm
from portal.webhooks.models import WebhookEndpoint
from tests.conftest import NOW, create_integration
from tests.verification.schemas.acme import encode_schema
from verification.discovery.forms import AddressForm, CompanyForm, NamespaceForm, StartForm
from verification.discovery.imports import ProviderRow
from verification.schemas.crossplane.coverage import build_previews
from verification.schemas.crossplane.managed_resource import ManagedResourceCodec
from verification.schemas.crossplane.options import parse_choices
from verification.schemas.engine.parsing import parse_schema
from verification.schemas.forms import GeneratorChoicesForm, ReconciliationForm
from verification.schemas.views import schemas
from verification.testruns.kinds.nomad_plugin.forms import NomadPluginTestForm
from verification.testruns.kinds.provider_lifecycle.forms import ProviderLifecycleTestForm
from verification.testruns.kinds.run_task.forms import RunTaskTestForm

PACKAGES = ("integrations", "verification", "portal")
BASES = {
    people_forms.RolesForm,
    requirement_page.ActionForm,
    requirement_page.FileActionForm,
    requirement_page.ItemActionForm,
    schemas.SchemaComparisonForm,
}  # base classes, and forms that no one fills in
OPTIONS = (("a", "First"), ("b", "Second"))
EDITION = PROGRAMS["nomad"].editions[-1]  # asks for all kinds of requirements
REQUIREMENTS_BY_KIND = {each.kind: each for each in EDITION.list_requirements()}
QUESTIONS = Requirement(
    "T-1",
    "Everything that can be asked",
    FulfillingParty.PARTNER,
    RequirementKind.FORM,
    fields=tuple(
        Question(type_, type_, type_, options=OPTIONS if "choice" in type_ else (), max_lines=3)
        for type_ in get_args(FieldType)
    ),
)
ADMINISTRATOR = User(is_superuser=True)
ROW = Integration(program_key="terraform-provider", edition_date=PROGRAMS["terraform-provider"].editions[-1].date)
Build = Callable[[Any, User], BaseForm]


def build_request(user: User) -> Any:
    request: Any = RequestFactory().post("/")
    request.user = user
    request.session = {}
    return request


def create_passkey(user: User) -> Authenticator:
    return Authenticator(user=user, type=Authenticator.Type.WEBAUTHN, data={"name": "Phone"})


def create_social_account(user: User) -> SocialLogin:
    return SocialLogin(user=User(email="new@acme.example"), account=SocialAccount(provider="github", uid="1"))


def build_action_form(form: type[requirement_page.ActionForm], kind: RequirementKind) -> Build:
    """Return the function that creates the form of an action on a requirement of this kind."""

    def build(data: Any, user: User) -> BaseForm:
        partner = Partner.objects.get(slug="acme")
        integration = partner.integrations.first() or create_integration(partner, user)
        return form(build_requirement_page(build_request(user), integration, REQUIREMENTS_BY_KIND[kind]), data=data)

    return build


def build_integration_form(program: Program) -> Build:
    return lambda data, user: drafts.IntegrationForm(program, program.editions[-1], data=data)


def build_transition_form(name: str) -> Build:
    return lambda data, user: transitions.TransitionForm(ROW, transitions.get_transition(name), data=data)


SCHEMA = parse_schema(encode_schema())
CHOICES = parse_choices("acme")
SERVER = next(one for one in build_previews(SCHEMA, CHOICES) if one.is_available)

# (form class, variant): function that creates the form from submitted data and a user
FORMS: dict[tuple[type[BaseForm], str], Build] = {
    **{(form, ""): build_action_form(form, kind) for kind in PAGES_BY_KIND for form in list_actions(kind).values()},
    (findings.IntroductionRequestForm, ""): lambda data, user: findings.IntroductionRequestForm(data),
    (lists.IntegrationFilterForm, ""): lambda data, user: lists.IntegrationFilterForm(data=data),
    (AgreementFilterForm, ""): lambda data, user: AgreementFilterForm(data=data),
    (PartnerFilterForm, ""): lambda data, user: PartnerFilterForm(data=data),
    (queue.BulkActionForm, ""): lambda data, user: queue.BulkActionForm(data=data),
    (queue.QueueFilterForm, ""): lambda data, user: queue.QueueFilterForm(data=data),
    (requirements.RequirementForm, ""): lambda data, user: requirements.RequirementForm(QUESTIONS, data=data),
    (reviewers.AbsenceForm, ""): lambda data, user: reviewers.AbsenceForm(data),
    (RebalancingForm, ""): lambda data, user: RebalancingForm(data),
    (reviewers.ReviewerProfileForm, ""): lambda data, user: reviewers.ReviewerProfileForm(data),
    (findings.FindingAnswerForm, ""): lambda data, user: findings.FindingAnswerForm(data),
    (NameConfirmationForm, ""): lambda data, user: NameConfirmationForm("Rocket", data=data),
    (findings.FindingForm, ""): lambda data, user: findings.FindingForm(data),
    (findings.FindingReopeningForm, ""): lambda data, user: findings.FindingReopeningForm(data),
    (findings.FindingReplyForm, ""): lambda data, user: findings.FindingReplyForm(data),
    (findings.MessageForm, ""): lambda data, user: findings.MessageForm(data=data, can_write_note=True),
    (AlliancesManagerForm, ""): lambda data, user: AlliancesManagerForm(data),
    (partner_admin.PartnerForm, ""): lambda data, user: partner_admin.PartnerForm(data=data),
    (EndpointForm, "of a company"): lambda data, user: EndpointForm(data=data, is_program_endpoint=False),
    (EndpointForm, "changed"): lambda data, user: EndpointForm(
        data=data, is_program_endpoint=True, endpoint=WebhookEndpoint(format="webhook")
    ),
    (ReplayForm, ""): lambda data, user: ReplayForm(data),
    (AuditLogFilterForm, ""): lambda data, user: AuditLogFilterForm(data=data),
    (NotificationPreferencesForm, ""): lambda data, user: NotificationPreferencesForm(user, data=data),
    (AnalyticsFilterForm, ""): lambda data, user: AnalyticsFilterForm(data or {}),
    (SavedViewForm, ""): lambda data, user: SavedViewForm(data=data),
    (SharableViewForm, ""): lambda data, user: SharableViewForm(data=data),
    (FrequencyForm, ""): lambda data, user: FrequencyForm(data=data),
    (ExternalRecipientForm, ""): lambda data, user: ExternalRecipientForm("programs", data=data),
    (ReportFilterForm, ""): lambda data, user: ReportFilterForm(user, data=data),
    (ReportScheduleForm, ""): lambda data, user: ReportScheduleForm(data=data),
    (ReportSubscriptionsForm, ""): lambda data, user: ReportSubscriptionsForm(user, data=data),
    (accounts.AddEmailForm, ""): lambda data, user: accounts.AddEmailForm(user, data),
    (accounts.AddPasskeyForm, ""): lambda data, user: accounts.AddPasskeyForm(data, user=user),
    (accounts.ChangePasswordForm, ""): lambda data, user: accounts.ChangePasswordForm(user, data),
    (accounts.ReauthenticationCodeForm, ""): lambda data, user: accounts.ReauthenticationCodeForm(data, user=user),
    (accounts.SecondFactorForm, ""): lambda data, user: accounts.SecondFactorForm(data, user=user),
    (members.PartnerProfileForm, ""): lambda data, user: members.PartnerProfileForm(data),
    (accounts.ActivateTotpForm, ""): lambda data, user: accounts.ActivateTotpForm(data, user=user),
    (members.InvitationForm, ""): lambda data, user: members.InvitationForm(data),
    (MergeTargetForm, ""): lambda data, user: MergeTargetForm(data),
    (MergeNoteForm, ""): lambda data, user: MergeNoteForm("Acme", data=data),
    (OrganizationForm, ""): lambda data, user: OrganizationForm(data),
    (members.JoinRequestForm, ""): lambda data, user: members.JoinRequestForm(data),
    (accounts.LoginForm, ""): lambda data, user: accounts.LoginForm(data, request=build_request(user)),
    (accounts.ReauthenticationPasswordForm, ""): lambda data, user: accounts.ReauthenticationPasswordForm(
        data, user=user
    ),
    (accounts.ProfileForm, ""): lambda data, user: accounts.ProfileForm(data=data, instance=User(pk=user.pk)),
    (accounts.RenamePasskeyForm, ""): lambda data, user: accounts.RenamePasskeyForm(
        data, instance=create_passkey(user)
    ),
    (accounts.ResetPasswordForm, ""): lambda data, user: accounts.ResetPasswordForm(data),
    (accounts.ResetPasswordKeyForm, ""): lambda data, user: accounts.ResetPasswordKeyForm(data, user=user),
    (members.RoleForm, ""): lambda data, user: members.RoleForm(data),
    (accounts.SetPasswordForm, ""): lambda data, user: accounts.SetPasswordForm(user, data),
    (accounts.SignupForm, ""): lambda data, user: accounts.SignupForm(data),
    (accounts.SocialSignupForm, ""): lambda data, user: accounts.SocialSignupForm(
        data, sociallogin=create_social_account(user)
    ),
    (people_forms.PeopleFilterForm, ""): lambda data, user: people_forms.PeopleFilterForm(data=data),
    (people_forms.PersonRolesForm, ""): lambda data, user: people_forms.PersonRolesForm(ADMINISTRATOR, data=data),
    (people_forms.PersonInvitationForm, ""): lambda data, user: people_forms.PersonInvitationForm(
        ADMINISTRATOR, data=data
    ),
    (people_forms.ReasonForm, ""): lambda data, user: people_forms.ReasonForm(data=data),
    (ConstraintForm, ""): lambda data, user: ConstraintForm(data),
    (GeneratorChoicesForm, ""): lambda data, user: GeneratorChoicesForm(data),
    (ReconciliationForm, ""): lambda data, user: ReconciliationForm(
        ManagedResourceCodec(SCHEMA.resources[SERVER.resource], CHOICES), SERVER.definitions, data=data
    ),
    (schemas.SchemaUploadForm, ""): lambda data, user: schemas.SchemaUploadForm(data=data),
    (RunTaskTestForm, ""): lambda data, user: RunTaskTestForm(data),
    (NomadPluginTestForm, ""): lambda data, user: NomadPluginTestForm(data),
    (ProviderLifecycleTestForm, ""): lambda data, user: ProviderLifecycleTestForm([("a", "First")], data=data),
    (AddressForm, ""): lambda data, user: AddressForm(data),
    (CompanyForm, ""): lambda data, user: CompanyForm([Partner(slug="acme", name="Acme")], data=data),
    (NamespaceForm, ""): lambda data, user: NamespaceForm(
        PROGRAMS["terraform-provider"].editions[-1], [ProviderRow("acme/a", "acme/a", "community")], data=data
    ),
    (OwnerForm, ""): lambda data, user: OwnerForm(data),
    (PartnerDecisionForm, ""): lambda data, user: PartnerDecisionForm(data),
    (StartForm, ""): lambda data, user: StartForm(PROGRAMS["nomad"], PROGRAMS["nomad"].editions[-1], data=data),
    (SlaFilterForm, ""): lambda data, user: SlaFilterForm(parse_filters(user, data or {})),
    (ReasonForm, ""): lambda data, user: ReasonForm(data),
    (DisputeForm, ""): lambda data, user: DisputeForm(data),
    (CalendarForm, ""): lambda data, user: CalendarForm(data=data, now=NOW),
    (label_policy.LabelsForm, ""): lambda data, user: label_policy.LabelsForm(data=data, resolve_account=len),
    (label_policy.LabelPolicyDecisionForm, ""): lambda data, user: label_policy.LabelPolicyDecisionForm(data),
    (TokenForm, "personal"): lambda data, user: TokenForm(User(is_staff=True), None, data=data),
    (TokenForm, "company"): lambda data, user: TokenForm(user, Partner(), data=data),
    (edition_migration.EditionMigrationForm, ""): lambda data, user: edition_migration.EditionMigrationForm(
        ROW, data=data
    ),
    (transitions.TransitionForm, "decline"): build_transition_form("decline"),
    (transitions.TransitionForm, "put_on_hold"): build_transition_form("put_on_hold"),
    (transitions.TransitionForm, "request_tier"): build_transition_form("request_tier"),
    (ConflictForm, ""): lambda data, user: ConflictForm(data),
    (EmailDraftForm, ""): lambda data, user: EmailDraftForm(data=data, prefix=""),
    (ReplyForm, ""): lambda data, user: ReplyForm(
        data=data, row=Integration(partner=Partner(website="https://acme.example"))
    ),
    (StatementForm, ""): lambda data, user: StatementForm(data),
    (styleguide.SampleForm, ""): lambda data, user: styleguide.SampleForm(data=data),
    **{
        (drafts.IntegrationForm, key): build_integration_form(program)
        for key, program in PROGRAMS.items()
        if key in ("nomad", "terraform-provider")
    },
}


def list_form_classes() -> set[type[BaseForm]]:
    """Return all form classes of the portal."""
    for root in map(importlib.import_module, PACKAGES):
        for module in pkgutil.walk_packages(root.__path__, f"{root.__name__}."):
            if not {"migrations", "management"} & set(module.name.split(".")):
                importlib.import_module(module.name)
    return {form for form in _list_subclasses(BaseForm) if form.__module__.split(".")[0] in PACKAGES}


def _list_subclasses(form: type[BaseForm]) -> Iterator[type[BaseForm]]:
    for each in form.__subclasses__():
        yield each
        yield from _list_subclasses(each)
