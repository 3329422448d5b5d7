"""Integration model and its stage transitions.

Only `integrations.submissions.services.transitions.perform_transition` changes the stage. The body of a transition sets
fields of the row, makes no query, and sends no email. Each transition names its permission and its guards.
"""

from datetime import datetime
from functools import partial
from typing import Any
from uuid import uuid4

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_noop
from django_fsm import RETURN_VALUE, FSMField, FSMModelMixin, transition

from integrations.partners import permissions
from integrations.programs.registry import PROGRAMS, get_edition
from integrations.programs.schema import Edition, Program, Step
from integrations.submissions.models.listing_status import ListingStatusFields, build_choices
from integrations.submissions.workflow import guards
from integrations.submissions.workflow.next_action import translate_next_action
from integrations.submissions.workflow.states import FINAL_STAGES, ListingStatus, ResponsibleParty, ReviewState, Stage
from portal.accounts.requests import AnyUser
from portal.core.name_matching import compute_name_key
from portal.core.value_types import NamedValues


class IntegrationQuerySet(models.QuerySet["Integration"]):
    """Named filters. Pages load rows through visible_to(), so hidden rows don't exist for them."""

    def visible_to(self, user: AnyUser) -> "IntegrationQuerySet":
        if not user.is_authenticated:
            return self.none()
        if user.is_reviewer or user.is_staff:
            return self
        return self.filter(partner_id__in=list(permissions.get_roles(user)))

    def open(self) -> "IntegrationQuerySet":
        return self.exclude(stage__in=FINAL_STAGES)

    def in_support(self) -> "IntegrationQuerySet":
        return self.filter(stage=Stage.SUPPORT)

    def filter_released(self) -> "IntegrationQuerySet":
        """Return integrations that have been listed, including suspended, delisted, and ended ones."""
        return self.exclude(released_at=None)

    def in_queue(self) -> "IntegrationQuerySet":
        """Return integrations that wait for the program, earliest due date first."""
        return self.filter(responsible_party=ResponsibleParty.PROGRAM).order_by("action_due_at", "pk")


stage_transition = partial(transition, field="stage")
undo_transition = partial(
    stage_transition,
    permission=permissions.can_undo_decision,
    conditions=[guards.can_undo_decision],
    custom={"label": gettext_noop("Undo decision"), "tone": "warn"},
)
STAGES_BEFORE_RELEASE = [Stage.ENGAGE, Stage.DEVELOP, Stage.REVIEW, Stage.RELEASE]
HOLDABLE_STAGES = [*STAGES_BEFORE_RELEASE, Stage.SUPPORT]


class Integration(FSMModelMixin, ListingStatusFields):
    """Integration of a partner in a program, on its path through one edition."""

    uuid = models.UUIDField(default=uuid4, unique=True, editable=False)
    partner = models.ForeignKey("partners.Partner", models.PROTECT, related_name="integrations")
    program_key = models.CharField("program", max_length=40)
    edition_date = models.CharField("edition", max_length=10)
    name = models.CharField("name", max_length=80)
    name_key = models.CharField(max_length=120, db_index=True, editable=False)
    description = models.TextField("description", max_length=2000, blank=True)
    category = models.CharField("category", max_length=60, blank=True)
    offerings = models.JSONField("offerings of the product", default=list, blank=True)
    repository = models.CharField("repository", max_length=200, blank=True, db_index=True)
    repository_id = models.BigIntegerField(null=True, blank=True, db_index=True)
    repository_owner_id = models.BigIntegerField(null=True, blank=True)
    homepage = models.URLField("homepage", blank=True)

    stage = FSMField("stage", default=Stage.ENGAGE, choices=build_choices(Stage), protected=True, db_index=True)
    step = models.CharField("step", max_length=40)
    stage_before_end = models.CharField(max_length=20, blank=True)

    on_hold_for = models.CharField("on hold for", max_length=20, blank=True, choices=build_choices(ResponsibleParty))
    hold_reason = models.CharField(max_length=500, blank=True)

    review_state = models.CharField(max_length=10, blank=True, default=ReviewState.NONE)
    review_round = models.PositiveSmallIntegerField(default=0)
    review_requested_at = models.DateTimeField(null=True, blank=True)
    reviewer = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="reviews"
    )
    claim_expires_at = models.DateTimeField(null=True, blank=True)

    decision = models.CharField(max_length=30, blank=True)
    decided_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+")
    undo_until = models.DateTimeField(null=True, blank=True)
    undo = models.JSONField(default=dict, blank=True)

    responsible_party = models.CharField(max_length=20, blank=True, db_index=True)
    next_action_text = models.CharField(max_length=300, blank=True)
    next_action_target = models.CharField(max_length=80, blank=True)
    responsible_since = models.DateTimeField(null=True, blank=True)
    action_due_at = models.DateTimeField(null=True, blank=True)
    reasons = models.JSONField(default=list, blank=True)
    requirement_counts = models.JSONField(default=dict, blank=True)
    next_refresh_at = models.DateTimeField(null=True, blank=True, db_index=True)

    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField()
    released_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    version = models.PositiveIntegerField(default=0)

    objects = IntegrationQuerySet.as_manager()

    class Meta:
        ordering = ("-created_at",)
        indexes = [
            # Covers the queue's order and all of its figures without reading the table.
            models.Index(
                fields=[
                    "responsible_party",
                    "action_due_at",
                    "id",
                    "reviewer",
                    "claim_expires_at",
                    "responsible_since",
                ],
                name="integration_queue_order",
            ),
            models.Index(fields=["partner", "program_key"], name="integration_partner_program"),
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

    def save(self, *args: Any, **kwargs: Any) -> None:
        self.name_key = compute_name_key(self.name)
        super().save(*args, **kwargs)

    @property
    def audit_fields(self) -> NamedValues:
        return {"stream": f"integration:{self.pk}", "integration": self, "partner": self.partner}

    @property
    def next_action_label(self) -> str:
        """Return the next action in the reader's language."""
        return translate_next_action(self.next_action_text)

    @property
    def program(self) -> Program:
        return PROGRAMS[self.program_key]

    @property
    def edition(self) -> Edition:
        return get_edition(self.program_key, self.edition_date)

    @property
    def plugin(self) -> str:
        """Return the plugin type of the category, blank if it has no plugin test."""
        category = self.edition.category(self.category)
        return category.plugin_type if category else ""

    @property
    def current_step(self) -> Step:
        return self.edition.step(self.step)

    @property
    def position(self) -> int:
        return self.edition.position(self.step, self.stage)

    @property
    def next_position(self) -> tuple[Step, Stage] | tuple[None, None]:
        """Return the next step and stage, or a pair of None at the end of the path."""
        positions = self.edition.positions()
        next_index = self.position + 1 if self.is_open else len(positions)
        return positions[next_index] if next_index < len(positions) else (None, None)

    @property
    def is_open(self) -> bool:
        return self.stage not in FINAL_STAGES

    @property
    def is_listed(self) -> bool:
        return self.listing_status not in (ListingStatus.UNLISTED, ListingStatus.DELISTED)

    # -- along the path ------------------------------------------------------------------------------------

    @stage_transition(
        source=[Stage.ENGAGE, Stage.DEVELOP],
        target=RETURN_VALUE(Stage.ENGAGE, Stage.DEVELOP),
        permission=permissions.can_edit,
        conditions=[guards.is_not_on_hold, guards.is_review_not_next, guards.has_no_missing_requirements],
        custom={"label": gettext_noop("Complete step"), "tone": "good"},
    )
    def complete_step(self, **_: object) -> str:
        step, stage = self.next_position
        self.step = step.key  # type: ignore[union-attr]
        return str(stage)

    @stage_transition(
        source=[Stage.ENGAGE, Stage.DEVELOP],
        target=Stage.REVIEW,
        permission=permissions.can_edit,
        conditions=[guards.is_not_on_hold, guards.is_review_next, guards.has_no_missing_requirements],
        custom={"label": gettext_noop("Request review"), "tone": "good"},
    )
    def submit_for_review(self, *, now: datetime, **_: object) -> None:
        self.step = self.next_position[0].key  # type: ignore[union-attr]
        self._start_review_round(now)

    @stage_transition(
        source=Stage.REVIEW,
        target=Stage.REVIEW,
        permission=permissions.can_edit,
        conditions=[
            guards.is_not_on_hold,
            guards.has_requested_changes,
            guards.is_decision_final,
            guards.has_no_partner_requirements,
            guards.has_no_open_findings,
        ],
        custom={"label": gettext_noop("Request another review"), "tone": "good"},
    )
    def resubmit_for_review(self, *, now: datetime, **_: object) -> None:
        self._start_review_round(now)

    @stage_transition(
        source=Stage.REVIEW,
        target=Stage.REVIEW,
        permission=permissions.can_decide,
        conditions=[
            guards.is_not_on_hold,
            guards.is_not_claimed_by_other,
            guards.is_review_requested,
            guards.has_partner_tasks,
        ],
        custom={
            "label": gettext_noop("Request changes"),
            "tone": "warn",
            "decision": True,
            "mail": "changes_requested",
        },
    )
    def request_changes(self, **_: object) -> None:
        self.review_state = ReviewState.CHANGES

    @stage_transition(
        source=Stage.REVIEW,
        target=Stage.RELEASE,
        permission=permissions.can_decide,
        conditions=[
            guards.is_not_on_hold,
            guards.is_not_claimed_by_other,
            guards.is_review_requested,
            guards.has_only_verified_findings,
            guards.has_no_missing_requirements,
        ],
        custom={"label": gettext_noop("Approve"), "tone": "good", "decision": True, "mail": "approved"},
    )
    def approve(self, **_: object) -> None:
        self.step = self.next_position[0].key  # type: ignore[union-attr]
        self.review_state = ReviewState.NONE

    @stage_transition(
        source=Stage.RELEASE,
        target=Stage.SUPPORT,
        permission=permissions.can_decide,
        conditions=[guards.is_not_on_hold, guards.is_decision_final, guards.has_no_missing_requirements],
        custom={"label": gettext_noop("Publish listing"), "tone": "good", "mail": "released"},
    )
    def publish(self, *, now: datetime, **_: object) -> None:
        self.step = self.next_position[0].key  # type: ignore[union-attr]
        self.released_at = now
        self.verify()
        self._begin_listing_status(now)

    # -- off the path --------------------------------------------------------------------------------------

    @stage_transition(
        source=STAGES_BEFORE_RELEASE,
        target=Stage.DECLINED,
        permission=permissions.can_decide,
        conditions=[guards.is_not_claimed_by_other, guards.has_note],
        custom={
            "label": gettext_noop("Decline"),
            "tone": "bad",
            "decision": True,
            "note": gettext_noop("Reason for the partner"),
            "mail": "declined",
        },
    )
    def decline(self, *, now: datetime, **_: object) -> None:
        self._end_integration(now)

    @stage_transition(
        source=STAGES_BEFORE_RELEASE,
        target=Stage.WITHDRAWN,
        permission=permissions.can_edit,
        custom={
            "label": gettext_noop("Withdraw"),
            "tone": "bad",
            "note": gettext_noop("Reason (saved in the history)"),
        },
    )
    def withdraw(self, *, now: datetime, **_: object) -> None:
        self._end_integration(now)

    @stage_transition(
        source=Stage.SUPPORT,
        target=Stage.ARCHIVED,
        permission=permissions.can_manage,
        conditions=[guards.has_note],
        custom={
            "label": gettext_noop("End support"),
            "tone": "bad",
            "note": gettext_noop("Note for users"),
            "mail": "archived",
        },
    )
    def archive(self, *, now: datetime, **_: object) -> None:
        self._end_integration(now)
        self.unlist()
        self._begin_listing_status(now)

    @stage_transition(
        source=[Stage.WITHDRAWN, Stage.DECLINED],
        target=RETURN_VALUE(*STAGES_BEFORE_RELEASE),
        permission=permissions.can_reopen,
        conditions=[guards.is_decision_final],
        custom={"label": gettext_noop("Reopen integration"), "tone": "good", "mail": "reopened"},
    )
    def reopen(self, **_: object) -> str:
        self.ended_at = None
        return str(self.stage_before_end)

    @stage_transition(
        source=HOLDABLE_STAGES,
        target=None,
        permission=permissions.can_put_on_hold,
        conditions=[guards.is_not_on_hold, guards.has_note],
        custom={
            "label": gettext_noop("Put on hold"),
            "tone": "warn",
            "note": gettext_noop("Reason for the hold"),
            "mail": "held",
        },
    )
    def put_on_hold(self, *, note: str, waits_for: str = ResponsibleParty.THIRD_PARTY, **_: object) -> None:
        self.on_hold_for, self.hold_reason = ResponsibleParty(waits_for), note

    @stage_transition(
        source=HOLDABLE_STAGES,
        target=None,
        permission=permissions.can_decide,
        conditions=[guards.is_on_hold],
        custom={"label": gettext_noop("Remove hold"), "tone": "good", "mail": "resumed"},
    )
    def resume(self, **_: object) -> None:
        self.on_hold_for = self.hold_reason = ""

    @undo_transition(source=[Stage.REVIEW, Stage.RELEASE], target=Stage.REVIEW)
    @undo_transition(source=Stage.SUPPORT, target=None)
    @undo_transition(source=Stage.DECLINED, target=RETURN_VALUE(*STAGES_BEFORE_RELEASE))
    def undo_decision(self, **_: object) -> str:
        self.step = self.undo["step"]
        self.review_state = self.undo["review_state"]
        self.tier = self.undo.get("tier", self.tier)
        self.tier_request = self.undo.get("tier_request", self.tier_request)
        self.ended_at = None
        return str(self.undo["stage"])

    def _start_review_round(self, now: datetime) -> None:
        self.review_state = ReviewState.WAITING
        self.review_round += 1
        self.review_requested_at = now

    def _end_integration(self, now: datetime) -> None:
        self.stage_before_end, self.ended_at = self.stage, now
        self.on_hold_for = self.hold_reason = ""


# names of transitions and columns in source order: those of the stage, then those of the listing status
MEMBER_NAMES = [name for kind in Integration.__mro__ for name in vars(kind)]
