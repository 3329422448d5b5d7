"""Integration model."""

from datetime import datetime
from functools import cached_property
from operator import attrgetter
from typing import TYPE_CHECKING, Unpack
from uuid import uuid4

from django.apps import apps
from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Upper
from django_fsm import FSMModelMixin

from integrations.partners import permissions
from integrations.partners.models import VerificationState
from integrations.programs.registry import PROGRAMS
from integrations.programs.schema import Category, Program, Step, Tier
from integrations.submissions.models.blocks import BLOCK
from integrations.submissions.models.stage import StageFields
from integrations.submissions.workflow.actions import IDLE_ACTIONS, MONITORED_ACTION, PENDING_ACTION
from integrations.submissions.workflow.evidence import PAUSED_FOR_APPEAL
from integrations.submissions.workflow.next_action import render_action_text
from integrations.submissions.workflow.states import FINAL_STAGES, STAGE_LABELS, ListingStatus, ResponsibleParty, Stage
from portal.accounts.requests import AnyUser
from portal.core.compiled_queries import CompiledQuery, Parameter
from portal.core.django_arguments import SaveArguments
from portal.core.name_matching import compute_name_key
from portal.core.value_types import NamedValues

if TYPE_CHECKING:
    from integrations.submissions.models.findings import Finding
    from integrations.submissions.models.requirements import RequirementFulfillment
    from portal.audit.models import AuditEvent


# Fields of the queue's conditions and figures, besides those of its order.
# PostgreSQL computes the figures from the index alone only if it has every column that they need.
QUEUE_FIELDS = (
    "reviewer",
    "claim_expires_at",
    "responsible_since",
    "review_round",
    "review_state",
    "first_approver",
    "next_action_code",
    "deadline_pause_reason",
    "notice_by",
    "enforced_by",
    "created_by",
    "partner",
    "program_key",
    "stage",
)
# What a draft and the edit page ask for, besides the answers of requirements.
DESCRIPTION_FIELDS = ("name", "description", "category", "offerings", "homepage")
REPOSITORY_FIELDS = ("repository", "repository_id", "repository_owner_id")
INTEGRATION_ID = Parameter("integration", models.BigIntegerField())
# Internal events that leave the version of the integration as it is.
UNVERSIONED_EVENTS = Q(event_type__in=("review.claimed", "review.claim_released")) | Q(
    internal=True, event_type__startswith="program."
)
# Every page of an integration reads these, and building a query takes longer than running it.
FULFILLMENTS: "CompiledQuery[RequirementFulfillment]" = CompiledQuery(
    lambda: (
        apps.get_model("submissions", "RequirementFulfillment")
        .objects.filter(integration=INTEGRATION_ID)
        .select_related("submitted_by", "waived_by")
    )
)
# without an order, because Django hashes each of the 60 columns of a query with one
FINDINGS: "CompiledQuery[Finding]" = CompiledQuery(
    lambda: (
        apps.get_model("submissions", "Finding")
        .objects.filter(integration=INTEGRATION_ID)
        .select_related("raised_by", "resolved_by", "verified_by")
        .order_by()
    )
)


class IntegrationQuerySet(models.QuerySet["Integration"]):
    """Named filters. Pages load rows through visible_to(), so hidden rows don't exist for them."""

    def visible_to(self, user: AnyUser) -> "IntegrationQuerySet":
        if not user.is_authenticated:
            return self.none()
        if permissions.is_program_staff(user):
            return self
        return self.filter(partner_id__in=list(permissions.get_roles(user)))

    def open(self) -> "IntegrationQuerySet":
        return self.exclude(stage__in=FINAL_STAGES)

    def in_support(self) -> "IntegrationQuerySet":
        return self.filter(stage=Stage.SUPPORT)

    def filter_released(self) -> "IntegrationQuerySet":
        """Return integrations that have been listed, including suspended, delisted, and ended ones."""
        return self.exclude(released_at=None)

    def filter_public(self) -> "IntegrationQuerySet":
        """Return integrations that have been listed and whose company is verified."""
        return self.filter_released().filter(partner__verification_state=VerificationState.VERIFIED)

    def in_queue(self) -> "IntegrationQuerySet":
        """Return integrations that wait for the program, earliest due date first."""
        return self.filter(responsible_party=ResponsibleParty.PROGRAM).order_by("action_due_at", "pk")


class Integration(FSMModelMixin, StageFields):
    """Integration of a partner in a program, on its path through one edition."""

    uuid = models.UUIDField(default=uuid4, unique=True, editable=False)
    partner = models.ForeignKey("partners.Partner", models.PROTECT, related_name="integrations")
    name = models.CharField("name", max_length=80)
    name_key = models.CharField(max_length=120, db_index=True, editable=False)
    description = models.TextField("description", max_length=2000, blank=True)
    category = models.CharField("category", max_length=60, blank=True)
    offerings = models.JSONField("offerings of the product", default=list, blank=True)
    repository = models.CharField("repository", max_length=200, blank=True, db_index=True)
    repository_id = models.BigIntegerField(null=True, blank=True, db_index=True)
    repository_owner_id = models.BigIntegerField(null=True, blank=True)
    # With whose GitHub access a private repository is read. Without a reader, the repository would count as public.
    repository_reader = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+"
    )
    homepage = models.URLField("homepage", blank=True)

    decision = models.CharField(max_length=30, blank=True)
    decided_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+")
    undo_until = models.DateTimeField(null=True, blank=True)

    responsible_party = models.CharField(max_length=20, blank=True, db_index=True)
    next_action_code = models.CharField(max_length=40, blank=True)
    next_action_params = models.JSONField(default=dict, blank=True)
    next_action_target = models.CharField(max_length=80, blank=True)
    responsible_since = models.DateTimeField(null=True, blank=True)
    action_due_at = models.DateTimeField(null=True, blank=True)
    reasons = models.JSONField(default=list, blank=True)
    requirement_counts = models.JSONField(default=dict, blank=True)
    next_refresh_at = models.DateTimeField(null=True, blank=True, db_index=True)

    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField()
    version = models.PositiveIntegerField(default=0)

    objects = IntegrationQuerySet.as_manager()

    class Meta:
        ordering = ("-created_at",)
        indexes = [
            # Covers the queue's order and all of its figures without reading the table.
            models.Index(
                fields=["action_due_at", "id", *QUEUE_FIELDS],
                condition=Q(responsible_party=str(ResponsibleParty.PROGRAM)),
                name="integration_queue_order",
            ),
            models.Index(
                fields=["appealed_at"], condition=Q(deadline_pause_reason=PAUSED_FOR_APPEAL), name="integration_appeals"
            ),
            models.Index(fields=["-created_at", "-id"], name="integration_newest"),
            models.Index(
                fields=["partner", "program_key", "edition_date", "stage", "id"], name="integration_partner_program"
            ),
            # Has the order of a partner's home page. The last two columns let other orders be read from it alone.
            models.Index(
                "partner",
                BLOCK,
                "action_due_at",
                "responsible_since",
                F("id").desc(),
                "stage",
                "responsible_party",
                "listing_status",
                name="integration_partner_blocks",
            ),
            models.Index(fields=["reviewer", "stage"], name="integration_reviewer_stage"),
            models.Index(Upper("repository"), name="integration_repository_upper"),  # repositories ignore case
            models.Index(
                fields=["compliance_deadline_at", "id"],
                condition=Q(listing_status__in=[str(ListingStatus.ON_NOTICE), str(ListingStatus.SUSPENDED)]),
                name="compliance_deadlines",
            ),
        ]
        constraints = [
            models.CheckConstraint(
                name="integration_responsible_while_open",
                condition=Q(stage__in=[str(s) for s in FINAL_STAGES], responsible_party="")
                | ~Q(stage__in=[str(s) for s in FINAL_STAGES]) & ~Q(responsible_party=""),
            )
        ]

    def __str__(self) -> str:
        return self.name

    def save(self, **kwargs: Unpack[SaveArguments]) -> None:
        # Derived here, so that no writer can forget it: the search for similar work compares this column.
        self.name_key = compute_name_key(self.name)
        super().save(**kwargs)

    @cached_property
    def fulfillments_by_id(self) -> "dict[str, RequirementFulfillment]":
        """Return the fulfillments by requirement ID, until a writer calls `context.clear_cache`."""
        fulfillments = FULFILLMENTS.fetch(integration=self.pk)
        for fulfillment in fulfillments:
            # Its requirement depends on the edition. Otherwise, each fulfillment would read the integration again.
            fulfillment.integration = self
        return {fulfillment.requirement_id: fulfillment for fulfillment in fulfillments}

    @cached_property
    def all_findings(self) -> "list[Finding]":
        """Return all findings by number, until a writer calls `context.clear_cache`."""
        findings = sorted(FINDINGS.fetch(integration=self.pk), key=attrgetter("number"))
        for finding in findings:
            finding.integration = self
        return findings

    @cached_property
    def finding_events(self) -> "list[AuditEvent]":
        """Return the events about findings that both sides see, oldest first."""
        return list(self.events.filter(internal=False, event_type__startswith="finding.").order_by("seq"))

    def get_stage_display(self) -> str:  # type: ignore[no-redef]
        """Return the label of the stage. Django's method translates the labels of all stages first."""
        return str(STAGE_LABELS[Stage(self.stage)])

    def get_listing_status_display(self) -> str:  # type: ignore[no-redef]
        """Return the label of the listing status. Django's method translates all labels first."""
        return str(ListingStatus(self.listing_status).label)

    def get_last_change(self, user: AnyUser | None) -> "AuditEvent | None":
        """Return the last change that the user can see: internal ones are visible to program staff only."""
        events = self.events.all() if permissions.can_view_notes(self, user) else self.events.visible_to_partner()
        return events.exclude(UNVERSIONED_EVENTS).last()

    @property
    def audit_stream(self) -> str:
        return f"integration:{self.pk}"

    @property
    def audit_fields(self) -> NamedValues:
        return {"stream": self.audit_stream, "integration": self, "partner": self.partner}

    @property
    def next_action_label(self) -> str:
        """Return the next action in the reader's language."""
        return render_action_text(self.next_action_code, self.next_action_params)

    @property
    def next_action_since(self) -> datetime | None:
        """Return since when the next action is required. None for an action of the portal in support."""
        # The portal is responsible all the time in support, so `responsible_since` says nothing about its checks.
        is_idle = self.next_action_code in (MONITORED_ACTION, *IDLE_ACTIONS.values())
        is_of_portal = self.stage == Stage.SUPPORT and self.responsible_party == ResponsibleParty.PORTAL
        return self.responsible_since if is_idle or not is_of_portal else None

    @property
    def is_pending(self) -> bool:
        """Return whether the last decision can still be undone, as of the last refresh."""
        return self.next_action_code == PENDING_ACTION

    @property
    def program(self) -> Program:
        return PROGRAMS[self.program_key]

    @property
    def repository_url(self) -> str:
        return f"{settings.GITHUB_WEB_URL}/{self.repository}" if self.repository else ""

    @property
    def current_category(self) -> Category | None:
        return self.edition.get_category(self.category)

    @property
    def current_tier(self) -> Tier | None:
        return self.edition.get_tier(self.tier)

    @property
    def requested_tier(self) -> Tier | None:
        return self.edition.get_tier(self.tier_request)

    @property
    def plugin(self) -> str:
        """Return the plugin type of the category, blank if it has no plugin test."""
        return self.current_category.plugin_type if self.current_category else ""

    @property
    def current_step(self) -> Step:
        return self.edition.get_step(self.step)

    @property
    def is_listed(self) -> bool:
        return self.listing_status not in (ListingStatus.UNLISTED, ListingStatus.DELISTED)
