"""Stage of an integration and its transitions.

Only `integrations.submissions.services.transitions.perform_transition` changes the stage. The body of a transition sets
fields of the row, makes no query, and sends no email. Each transition names its permission and its guards.
"""

from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import models
from django_fsm import RETURN_VALUE, FSMField

from integrations.partners import permissions
from integrations.programs.registry import get_edition
from integrations.programs.schema import Edition, Step
from integrations.submissions.models.listing_status import ListingStatusFields
from integrations.submissions.workflow import guards
from integrations.submissions.workflow.states import FINAL_STAGES, STAGE_LABELS, ResponsibleParty, ReviewState, Stage

if TYPE_CHECKING:
    from integrations.submissions.selectors.step_context import StepContext
    from portal.accounts.models import User

stage_transition = partial(guards.guarded_transition, "stage")
# The side that decided can undo it: the company withdraws and ends support, and reviewers make the other decisions.
undo_transition = partial(
    stage_transition, permission=permissions.can_undo_decision, guards=[guards.require_undoable_decision]
)
decision_transition = partial(stage_transition, permission=permissions.can_decide)
review_decision = partial(decision_transition, source=Stage.REVIEW, target=Stage.REVIEW)
# If a step asks for two reviewers, they apply to both approvals: neither reviewer can leave a task to the other.
APPROVAL_GUARDS = [
    guards.require_no_hold,
    guards.require_no_other_claim,
    guards.require_requested_review,
    guards.require_verified_findings,
    guards.require_met_requirements,
]
STAGES_BEFORE_RELEASE = [Stage.ENGAGE, Stage.DEVELOP, Stage.REVIEW, Stage.RELEASE]
UNDONE_FIELDS = ("step", "review_state", "tier", "tier_request", "on_hold_for", "hold_reason", "hold_check")
HOLDABLE_STAGES = [*STAGES_BEFORE_RELEASE, Stage.SUPPORT]


class StageFields(ListingStatusFields):
    """Stage and step of an integration on its path through one edition, with the transitions of the stage."""

    step_context: "StepContext"  # of the transition that is performed or listed

    program_key = models.CharField("program", max_length=40)
    edition_date = models.CharField("edition", max_length=10)
    stage = FSMField("stage", default=Stage.ENGAGE, choices=STAGE_LABELS, protected=True, db_index=True)
    step = models.CharField("step", max_length=40)
    stage_before_end = models.CharField(max_length=20, blank=True)

    on_hold_for = models.CharField("on hold for", max_length=20, blank=True, choices=ResponsibleParty.choices)
    hold_reason = models.CharField(max_length=500, blank=True)
    hold_check = models.CharField(max_length=80, blank=True)  # that put it on hold, blank if a person did

    review_state = models.CharField(max_length=10, blank=True, default=ReviewState.NONE)
    review_round = models.PositiveSmallIntegerField(default=0)
    review_requested_at = models.DateTimeField(null=True, blank=True)
    first_approver = models.ForeignKey(  # of this round, while the step asks for two reviewers
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    reviewer = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="reviews"
    )
    claim_expires_at = models.DateTimeField(null=True, blank=True)
    undo = models.JSONField(default=dict, blank=True)
    released_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        abstract = True

    @property
    def edition(self) -> Edition:
        return get_edition(self.program_key, self.edition_date)

    @property
    def position(self) -> int:
        return self.edition.get_position(self.step, self.stage)

    @property
    def next_position(self) -> tuple[Step, Stage] | tuple[None, None]:
        """Return the next step and stage, or a pair of None at the end of the path."""
        positions = self.edition.positions
        # The stage of an ended integration isn't on the path and has no position.
        next_index = self.position + 1 if self.is_open else len(positions)
        return positions[next_index] if next_index < len(positions) else (None, None)

    @property
    def is_awaiting_second_reviewer(self) -> bool:
        return self.first_approver_id is not None and self.review_state == ReviewState.WAITING

    @property
    def is_open(self) -> bool:
        return self.stage not in FINAL_STAGES

    @stage_transition(
        source=[Stage.ENGAGE, Stage.DEVELOP],
        target=RETURN_VALUE(Stage.ENGAGE, Stage.DEVELOP),
        permission=permissions.can_complete_step,
        guards=[guards.require_no_hold, guards.require_next_step_without_review, guards.require_met_requirements],
    )
    def complete_step(self, **_: object) -> str:
        """Move to the next step, past those in which nothing is left to do."""
        step, stage = self.edition.positions[self.step_context.reachable_position]
        self.step = step.key
        return str(stage)

    @stage_transition(
        source=[Stage.ENGAGE, Stage.DEVELOP],
        target=Stage.REVIEW,
        permission=permissions.can_edit,
        guards=[
            guards.require_accepted_company,
            guards.require_no_hold,
            guards.require_next_step_with_review,
            guards.require_met_requirements,
        ],
    )
    def submit_for_review(self, *, now: datetime, **_: object) -> None:
        self.step = self.next_position[0].key  # type: ignore[union-attr]
        self._start_review_round(now)

    @stage_transition(
        source=Stage.REVIEW,
        target=Stage.REVIEW,
        permission=permissions.can_edit,
        guards=[
            guards.require_accepted_company,
            guards.require_no_hold,
            guards.require_requested_changes,
            guards.require_final_decision,
            guards.require_met_partner_requirements,
            guards.require_answered_findings,
        ],
    )
    def resubmit_for_review(self, *, now: datetime, **_: object) -> None:
        self._start_review_round(now)

    @review_decision(
        guards=[
            guards.require_no_hold,
            guards.require_no_other_claim,
            guards.require_requested_review,
            guards.require_partner_tasks,
        ]
    )
    def request_changes(self, **_: object) -> None:
        self.review_state = ReviewState.CHANGES

    @review_decision(guards=[*APPROVAL_GUARDS, guards.require_missing_first_approval])
    def approve_first(self, *, actor: "User", **_: object) -> None:
        """Leave the review to a second reviewer, who can claim it."""
        self.first_approver = actor
        self.reviewer = self.claim_expires_at = None

    @review_decision(guards=[guards.require_own_first_approval])
    def undo_first_approval(self, *, actor: "User", **_: object) -> None:
        """Return the review to the first reviewer, unless someone else has claimed it."""
        self.first_approver = None
        self.reviewer = self.reviewer or actor

    @decision_transition(
        source=Stage.REVIEW, target=Stage.RELEASE, guards=[*APPROVAL_GUARDS, guards.require_other_approval]
    )
    def approve(self, **_: object) -> None:
        self.step = self.next_position[0].key  # type: ignore[union-attr]
        self.review_state = ReviewState.NONE

    @decision_transition(
        source=Stage.RELEASE,
        target=Stage.SUPPORT,
        guards=[
            # docs/explanation/companies.md: only verified companies are public.
            guards.require_verified_company,
            guards.require_no_hold,
            guards.require_final_decision,
            guards.require_met_requirements,
        ],
    )
    def publish(self, *, now: datetime, **_: object) -> None:
        self.step = self.next_position[0].key  # type: ignore[union-attr]
        self.released_at = now
        self.verify()
        self._begin_listing_status(now)

    @decision_transition(
        source=STAGES_BEFORE_RELEASE, target=Stage.DECLINED, guards=[guards.require_no_other_claim, guards.require_note]
    )
    def decline(self, *, now: datetime, **_: object) -> None:
        self._end_integration(now)

    @stage_transition(
        source=STAGES_BEFORE_RELEASE,
        target=Stage.WITHDRAWN,
        permission=permissions.can_edit,
        guards=[guards.require_final_decision],
    )
    def withdraw(self, *, now: datetime, **_: object) -> None:
        self._end_integration(now)

    @stage_transition(
        source=Stage.SUPPORT,
        target=Stage.ARCHIVED,
        permission=permissions.can_manage,
        guards=[guards.require_final_decision, guards.require_note],
    )
    def archive(self, *, now: datetime, **_: object) -> None:
        self._end_integration(now)
        self.unlist()
        # Terraform Integration Program, table of tiers: archived providers were Official or Verified and are no longer
        # maintained. The other programs publish no such tier.
        self.tier = "archived" if self.edition.get_tier("archived") else ""
        self._begin_listing_status(now)

    @stage_transition(
        source=[Stage.WITHDRAWN, Stage.DECLINED],
        target=RETURN_VALUE(*STAGES_BEFORE_RELEASE),
        permission=permissions.can_reopen,
        guards=[guards.require_final_decision],
    )
    def reopen(self, **_: object) -> str:
        self.ended_at = None
        return str(self.stage_before_end)

    @stage_transition(
        source=HOLDABLE_STAGES,
        permission=permissions.can_put_on_hold,
        guards=[guards.require_no_hold, guards.require_no_other_claim, guards.require_note],
    )
    def put_on_hold(
        self, *, note: str, waits_for: str = ResponsibleParty.THIRD_PARTY, check: str = "", **_: object
    ) -> None:
        self.on_hold_for = ResponsibleParty(waits_for)
        self.hold_reason = note[:500]  # reasons of checks can be longer than the column
        self.hold_check = check

    @decision_transition(source=HOLDABLE_STAGES, guards=[guards.require_hold])
    def resume(self, **_: object) -> None:
        self.on_hold_for = self.hold_reason = self.hold_check = ""

    @undo_transition(source=[Stage.REVIEW, Stage.RELEASE], target=Stage.REVIEW)
    # Decisions about tiers keep the stage.
    @undo_transition(source=Stage.SUPPORT)
    @undo_transition(source=[Stage.DECLINED, Stage.WITHDRAWN], target=RETURN_VALUE(*STAGES_BEFORE_RELEASE))
    @undo_transition(source=Stage.ARCHIVED, target=Stage.SUPPORT)
    def undo_decision(self, **_: object) -> str:
        # Only the end of support changed the listing status too, which has its own transition.
        if self.stage == Stage.ARCHIVED:
            self.relist(undo=self.undo)
        self.restore_fields(UNDONE_FIELDS, self.undo)
        self.ended_at = None
        return str(self.undo["stage"])

    def _start_review_round(self, now: datetime) -> None:
        self.review_state = ReviewState.WAITING
        self.review_round += 1
        self.first_approver = None
        self.review_requested_at = now

    def _end_integration(self, now: datetime) -> None:
        self.stage_before_end = self.stage
        self.ended_at = now
        self.on_hold_for = self.hold_reason = self.hold_check = ""
