"""Listing status, its period, and its transitions: tiers, compliance procedure, and reinstatement.

The fields and transitions of `listing_status` complement those of the stage in
`integrations.submissions.models.stage` and follow the same rules: a body sets fields of the row, makes no query,
and sends no email.
"""

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import models
from django_fsm import RETURN_VALUE, FSMField

from integrations.partners import permissions
from integrations.submissions.workflow import compliance_guards, guards
from integrations.submissions.workflow.evidence import PAUSED_FOR_ACTIVITY, PAUSED_FOR_APPEAL
from integrations.submissions.workflow.guards import Guard, Method, guarded_transition, require_note
from integrations.submissions.workflow.next_action import ActionTextParams, render_action_text
from integrations.submissions.workflow.states import COMMUNITY_TIER, ListingStatus
from portal.accounts.models import User
from portal.core.value_types import NamedValues

if TYPE_CHECKING:
    from integrations.programs.schema import Edition

UNLISTED = ListingStatus.UNLISTED
LISTED = ListingStatus.LISTED
ON_NOTICE = ListingStatus.ON_NOTICE
SUSPENDED = ListingStatus.SUSPENDED
DELISTED = ListingStatus.DELISTED
listing_transition = partial(guarded_transition, "listing_status")
# These are never performed alone: the release, the end of support, and its undo call them.
implied_transition = partial(listing_transition, permission=permissions.is_never_allowed)
# docs/explanation/compliance.md: the portal counts, reminds, and pauses deadlines. Reviewers make every decision.
automatic_transition = partial(listing_transition, permission=permissions.is_machine)
tier_decision = partial(listing_transition, source=LISTED, permission=permissions.can_decide)
APPEAL_GUARDS = (compliance_guards.require_open_appeal, compliance_guards.exclude_authors("decide_on_notice_appeal"))
# fields that a new listing status resets
PERIOD_FIELDS = (
    "listing_status_since",
    "compliance_deadline_at",
    "deadline_remaining",
    "deadline_pause_reason",
    "compliance_request",
    "compliance_reviewed_at",
    "deadline_notified_at",
    "appealed_at",
)


def allow_decision(
    *source: ListingStatus, target: ListingStatus | None = None, guards: Sequence[Guard] = ()
) -> Callable[[Method], Method]:
    """Return the decorator of a decision in the compliance procedure. Each needs a note."""
    return listing_transition(
        source=source, target=target, permission=permissions.can_decide_compliance, guards=[*guards, require_note]
    )


def list_period_guards(action_code: str) -> Sequence[Guard]:
    """Return the guards of a decision that follows from the end of a period."""
    return (
        compliance_guards.require_unpaused_process,
        compliance_guards.require_ended_period,
        # Before the evidence, which only those who can decide have to review.
        compliance_guards.exclude_authors(action_code),
        compliance_guards.require_reviewed_activity,
        compliance_guards.require_complete_data,
    )


class ListingStatusFields(models.Model):
    """Listing status, tier, and the transitions of the compliance procedure.

    The period of a listing status has a start, a deadline, and a pause.
    """

    if TYPE_CHECKING:

        @property
        def edition(self) -> Edition: ...

    listing_status = FSMField("listing_status", default=UNLISTED, choices=ListingStatus.choices, protected=True)
    tier = models.CharField("tier", max_length=40, blank=True)
    tier_request = models.CharField(max_length=40, blank=True)
    notice_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+")
    # the reviewer who suspended or delisted it, whichever was last
    enforced_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+")
    listing_status_since = models.DateTimeField(null=True, blank=True)
    compliance_deadline_at = models.DateTimeField(null=True, blank=True)
    deadline_remaining = models.DurationField(null=True, blank=True)  # while the deadline is paused
    deadline_pause_reason = models.CharField(max_length=20, blank=True)  # PAUSED_FOR_ACTIVITY or _APPEAL
    compliance_request = models.CharField(max_length=40, blank=True)  # code in next_actions.yaml
    compliance_request_params = models.JSONField(default=dict, blank=True)
    compliance_reviewed_at = models.DateTimeField(null=True, blank=True)  # earlier breaches suggest no notice
    deadline_notified_at = models.DateTimeField(null=True, blank=True)  # when the program was notified of the end
    appealed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        abstract = True

    @property
    def compliance_request_label(self) -> str:
        """Return the compliance request in the reader's language."""
        return render_action_text(self.compliance_request, self.compliance_request_params)

    def dump_fields(self, names: Iterable[str]) -> dict[str, str]:
        """Return the values of fields as JSON."""
        return {name: self._meta.get_field(name).value_to_string(self) for name in names}  # type: ignore[union-attr]

    def restore_fields(self, names: Iterable[str], data: NamedValues) -> None:
        """Restore fields from the result of `dump_fields`."""
        for name in names:
            field = self._meta.get_field(name)
            setattr(self, name, field.to_python(data[name]) if data[name] or not field.null else None)  # type: ignore[union-attr]

    def _begin_listing_status(self, now: datetime, days: int | None = None) -> None:
        """Start a new listing status with a deadline after `days`, if any."""
        self.listing_status_since = self.compliance_reviewed_at = now
        self.compliance_deadline_at = now + timedelta(days=days) if days else None
        self.deadline_remaining = self.deadline_notified_at = self.appealed_at = None
        self.deadline_pause_reason = self.compliance_request = ""

    def _pause_period(self, reason: str, now: datetime) -> None:
        """Pause the deadline. A second reason retains the time that the first one saved."""
        if self.compliance_deadline_at is not None:
            self.deadline_remaining = max(self.compliance_deadline_at - now, timedelta())
        self.deadline_pause_reason = reason
        self.compliance_deadline_at = None

    def _resume_period(self, now: datetime) -> None:
        self.compliance_deadline_at = now + (self.deadline_remaining or timedelta())
        self.deadline_pause_reason = ""
        self.deadline_remaining = None
        self.deadline_notified_at = None

    @implied_transition(source=[UNLISTED, DELISTED], target=LISTED)
    def verify(self) -> None:
        self.tier = self.edition.release_tier.key

    @implied_transition(source="*", target=DELISTED)
    def unlist(self) -> None:
        self.tier = ""

    @implied_transition(source=DELISTED, target=RETURN_VALUE(*ListingStatus))
    def relist(self, *, undo: NamedValues) -> str:
        """Restore what the end of support replaced."""
        self.restore_fields(PERIOD_FIELDS, undo)
        return str(undo["listing_status"])

    @listing_transition(
        source=LISTED,
        permission=permissions.can_edit,
        guards=[guards.require_final_decision, guards.require_requestable_tier],
    )
    def request_tier(self, *, tier: str, **_: object) -> None:
        self.tier_request = tier

    @tier_decision(
        guards=[guards.require_no_other_claim, guards.require_requested_tier, guards.require_tier_requirements]
    )
    def grant_tier(self, **_: object) -> None:
        self.tier = self.tier_request
        self.tier_request = ""

    @tier_decision(guards=[guards.require_no_other_claim, guards.require_requested_tier, require_note])
    def decline_tier(self, **_: object) -> None:
        self.tier_request = ""

    @automatic_transition(source=LISTED, guards=[compliance_guards.require_no_pending_request])
    def suggest_notice(self, *, request: str, params: ActionTextParams, **_: object) -> None:
        self.compliance_request = request
        self.compliance_request_params = params

    @allow_decision(LISTED, target=ON_NOTICE)
    def issue_notice(self, *, actor: User, now: datetime, **_: object) -> None:
        self._begin_listing_status(now, settings.NOTICE_GRACE_DAYS)
        self.notice_by = actor

    @allow_decision(
        LISTED,
        SUSPENDED,
        DELISTED,
        UNLISTED,
        guards=[compliance_guards.require_pending_request, compliance_guards.require_other_reviewer_for_request],
    )
    def dismiss_request(self, *, now: datetime, **_: object) -> None:
        # After a dismissal, only new breaches suggest a notice again.
        self.compliance_request = ""
        self.compliance_reviewed_at = now

    @automatic_transition(source=[ON_NOTICE, SUSPENDED], guards=[compliance_guards.require_unpaused_process])
    def pause_deadline(self, *, now: datetime, **_: object) -> None:
        self._pause_period(PAUSED_FOR_ACTIVITY, now)

    @allow_decision(ON_NOTICE, SUSPENDED, guards=[compliance_guards.require_pause_for_activity])
    def resume_deadline(self, *, now: datetime, **_: object) -> None:
        self._resume_period(now)

    @allow_decision(ON_NOTICE, target=SUSPENDED, guards=list_period_guards("decide_on_suspension"))
    def suspend(self, *, actor: User, now: datetime, **_: object) -> None:
        self._begin_listing_status(now, settings.DELISTING_AFTER_DAYS)
        self.enforced_by = actor

    @allow_decision(LISTED, ON_NOTICE, target=SUSPENDED, guards=[compliance_guards.require_transferred_repository])
    def suspend_immediately(self, *, actor: User, now: datetime, **_: object) -> None:
        self._begin_listing_status(now, settings.DELISTING_AFTER_DAYS)
        self.enforced_by = actor

    @allow_decision(SUSPENDED, target=DELISTED, guards=list_period_guards("decide_on_delisting"))
    def delist(self, *, actor: User, now: datetime, **_: object) -> None:
        self._begin_listing_status(now)
        # Whoever suspended it can decide on the reinstatement. Otherwise, that would require a third reviewer.
        self.enforced_by = actor
        # No support commitment applies to a delisted integration, so it has no tier that includes one.
        self.tier = self.tier_request = ""

    @allow_decision(ON_NOTICE, SUSPENDED, target=LISTED, guards=APPEAL_GUARDS)
    def uphold_appeal(self, *, now: datetime, **_: object) -> None:
        self._restore_listing(now)

    @allow_decision(ON_NOTICE, SUSPENDED, guards=APPEAL_GUARDS)
    def dismiss_appeal(self, *, now: datetime, **_: object) -> None:
        self._resume_period(now)

    @allow_decision(ON_NOTICE, target=LISTED, guards=[compliance_guards.require_no_open_appeal])
    def withdraw_notice(self, *, now: datetime, **_: object) -> None:
        self._restore_listing(now)

    @allow_decision(
        SUSPENDED,
        DELISTED,
        UNLISTED,
        target=LISTED,
        guards=[
            guards.require_verified_company,
            compliance_guards.require_no_open_appeal,
            compliance_guards.require_other_reviewer_for_request,
            guards.require_no_hold,
            guards.require_met_requirements,
        ],
    )
    def reinstate(self, *, now: datetime, **_: object) -> None:
        self._restore_listing(now)

    @listing_transition(
        source=[ON_NOTICE, SUSPENDED],
        permission=permissions.can_edit,
        guards=[compliance_guards.require_no_earlier_appeal, require_note],
    )
    def appeal(self, *, now: datetime, **_: object) -> None:
        self._pause_period(PAUSED_FOR_APPEAL, now)
        self.appealed_at = now

    @listing_transition(
        source=[SUSPENDED, DELISTED, UNLISTED],
        permission=permissions.can_request_reinstatement,
        guards=[compliance_guards.require_no_pending_request, compliance_guards.require_no_open_appeal, require_note],
    )
    def request_reinstatement(self, **_: object) -> None:
        self.compliance_request = "reinstatement"
        self.compliance_request_params = {}

    @listing_transition(source=[LISTED, ON_NOTICE, SUSPENDED], target=UNLISTED, permission=permissions.can_manage)
    def downgrade_to_community(self, *, now: datetime, **_: object) -> None:
        self._begin_listing_status(now)
        # Terraform Integration Program, "Support": a vendor that prefers to make its provider a community-supported one
        # is no longer listed as Verified.
        self.tier = COMMUNITY_TIER if self.edition.get_tier(COMMUNITY_TIER) else ""
        self.tier_request = ""

    def _restore_listing(self, now: datetime) -> None:
        self._begin_listing_status(now)
        # A later notice begins a new case, in which everyone can decide again.
        self.notice_by = self.enforced_by = None
        # A suspended integration keeps its tier, which the public doesn't see. Delisted and unlisted ones lost theirs.
        if self.edition.get_tier(self.tier) is None or self.tier == COMMUNITY_TIER:
            self.tier = self.edition.release_tier.key
