"""How does a listed integration stand, and which steps change that: tiers, the due process, and the ways back?

The columns and steps of `standing`, beside those of the stage in `integrations.submissions.models.integration`, and
taken through the same door: a step's body sets the row's own fields, makes no query and sends no mail.
"""

from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_noop as _
from django_fsm import FSMField, transition

from integrations.partners import permissions
from integrations.submissions.models.choices import choices
from integrations.submissions.workflow import guards
from integrations.submissions.workflow.evidence import HELD_FOR_ACT, HELD_FOR_APPEAL
from integrations.submissions.workflow.states import Standing

if TYPE_CHECKING:
    from integrations.programs.schema import Edition

stand = partial(transition, field="standing")
judge = partial(stand, permission=permissions.may_judge)
FROZEN = {"evidence": True}  # the pack that both sides see is kept with the decision
REASON = _("Reason for the partner")


class Standings(models.Model):
    """What a listed integration may say of itself, its tier, and the periods of the due process."""

    if TYPE_CHECKING:

        @property
        def edition(self) -> Edition: ...

    standing = FSMField("standing", default=Standing.NONE, choices=choices(Standing), protected=True)
    tier = models.CharField("tier", max_length=40, blank=True)
    tier_request = models.CharField(max_length=40, blank=True)
    standing_since = models.DateTimeField(null=True, blank=True)
    standing_due_at = models.DateTimeField(null=True, blank=True)
    standing_left = models.DurationField(null=True, blank=True)  # of the period, while it is held
    standing_hold = models.CharField(max_length=10, blank=True)
    standing_ask = models.CharField(max_length=300, blank=True)
    standing_looked_at = models.DateTimeField(null=True, blank=True)  # until when breaches suggest nothing any more
    standing_told_at = models.DateTimeField(null=True, blank=True)  # when the end of the period was told
    notice_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+")
    suspended_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+")
    appealed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        abstract = True

    # -- the standing of a listed integration --------------------------------------------------------------

    @stand(source=[Standing.NONE, Standing.REMOVED], target=Standing.VERIFIED, permission=permissions.nobody)
    def verify(self) -> None:
        self.tier = self.edition.release_tier.key

    @stand(source="*", target=Standing.REMOVED, permission=permissions.nobody)
    def unlist(self) -> None:
        self.tier = ""

    @stand(
        source=Standing.VERIFIED,
        target=None,
        permission=permissions.may_edit,
        conditions=[guards.decision_is_final, guards.tier_can_be_asked],
        custom={"label": _("Ask for the tier"), "tone": "good"},
    )
    def request_tier(self, *, tier: str, **_: Any) -> None:
        self.tier_request = tier

    @stand(
        source=Standing.VERIFIED,
        target=None,
        permission=permissions.may_decide,
        conditions=[guards.nobody_else_has_it, guards.tier_was_asked, guards.tier_is_complete],
        custom={"label": _("Grant the tier"), "tone": "good", "decision": True, "mail": "tier_granted"},
    )
    def grant_tier(self, **_: Any) -> None:
        self.tier, self.tier_request = self.tier_request, ""

    @stand(
        source=Standing.VERIFIED,
        target=None,
        permission=permissions.may_decide,
        conditions=[guards.nobody_else_has_it, guards.tier_was_asked, guards.note_given],
        custom={
            "label": _("Decline the tier"),
            "tone": "bad",
            "decision": True,
            "note": REASON,
            "mail": "tier_declined",
        },
    )
    def decline_tier(self, **_: Any) -> None:
        self.tier_request = ""

    # -- the due process: notice, grace, suspension, removal, and the ways back ------------------------------

    @stand(
        source=Standing.VERIFIED,
        target=None,
        permission=permissions.only_machine,
        conditions=[guards.nothing_waits],
    )
    def suggest_notice(self, *, why: str, **_: Any) -> None:
        self.standing_ask = why[:300]

    @judge(
        source=Standing.VERIFIED,
        target=Standing.NOTICE,
        conditions=[guards.note_given],
        custom={"label": _("Give notice"), "tone": "warn", "note": _("Reason and evidence for the partner"), **FROZEN},
    )
    def give_notice(self, *, by: Any, now: Any, **_: Any) -> None:
        self._stand(now, settings.NOTICE_GRACE_DAYS)
        self.notice_by = by

    @judge(
        source=[Standing.VERIFIED, Standing.SUSPENDED, Standing.REMOVED, Standing.NONE],
        target=None,
        conditions=[guards.something_waits, guards.note_given],
        custom={"label": _("Leave it as it is"), "tone": "neutral", "note": REASON, **FROZEN},
    )
    def set_aside(self, *, now: Any, **_: Any) -> None:
        self.standing_ask, self.standing_looked_at = "", now

    @stand(
        source=[Standing.NOTICE, Standing.SUSPENDED],
        target=None,
        permission=permissions.only_machine,
        conditions=[guards.process_not_held],
    )
    def hold_process(self, *, now: Any, **_: Any) -> None:
        self._stop(HELD_FOR_ACT, now)

    @judge(
        source=[Standing.NOTICE, Standing.SUSPENDED],
        target=None,
        conditions=[guards.held_for_an_act, guards.note_given],
        custom={"label": _("Let the period run on"), "tone": "warn", "note": REASON, **FROZEN},
    )
    def go_on(self, *, now: Any, **_: Any) -> None:
        self._run_on(now)

    @judge(
        source=Standing.NOTICE,
        target=Standing.SUSPENDED,
        conditions=[
            guards.process_not_held,
            guards.period_has_ended,
            guards.another_gave_the_notice,
            guards.partner_has_not_acted,
            guards.known_far_enough,
            guards.note_given,
        ],
        custom={"label": _("Suspend"), "tone": "bad", "note": REASON, **FROZEN},
    )
    def suspend(self, *, by: Any, now: Any, **_: Any) -> None:
        self._stand(now, settings.REMOVAL_AFTER_DAYS)
        self.suspended_by = by

    @judge(
        source=[Standing.VERIFIED, Standing.NOTICE],
        target=Standing.SUSPENDED,
        conditions=[guards.in_other_hands, guards.note_given],
        custom={"label": _("Suspend at once"), "tone": "bad", "note": REASON, **FROZEN},
    )
    def suspend_at_once(self, *, by: Any, now: Any, **_: Any) -> None:
        self._stand(now, settings.REMOVAL_AFTER_DAYS)
        self.suspended_by = by

    @judge(
        source=Standing.SUSPENDED,
        target=Standing.REMOVED,
        conditions=[
            guards.process_not_held,
            guards.period_has_ended,
            guards.another_suspended_it,
            guards.partner_has_not_acted,
            guards.known_far_enough,
            guards.note_given,
        ],
        custom={"label": _("Remove from the listing"), "tone": "bad", "note": REASON, **FROZEN},
    )
    def remove(self, *, now: Any, **_: Any) -> None:
        self._stand(now)
        self.tier = self.tier_request = ""

    @judge(
        source=[Standing.NOTICE, Standing.SUSPENDED],
        target=Standing.VERIFIED,
        conditions=[guards.appeal_is_open, guards.took_no_part, guards.note_given],
        custom={"label": _("Uphold the appeal"), "tone": "good", "note": REASON, **FROZEN},
    )
    def uphold_appeal(self, *, now: Any, **_: Any) -> None:
        self._back(now)

    @judge(
        source=[Standing.NOTICE, Standing.SUSPENDED],
        target=None,
        conditions=[guards.appeal_is_open, guards.took_no_part, guards.note_given],
        custom={"label": _("Dismiss the appeal"), "tone": "bad", "note": REASON, **FROZEN},
    )
    def dismiss_appeal(self, *, now: Any, **_: Any) -> None:
        self._run_on(now)

    @judge(
        source=Standing.NOTICE,
        target=Standing.VERIFIED,
        conditions=[guards.no_appeal_is_open, guards.note_given],
        custom={"label": _("Take the notice back"), "tone": "good", "note": REASON, **FROZEN},
    )
    def take_notice_back(self, *, now: Any, **_: Any) -> None:
        self._back(now)

    @judge(
        source=[Standing.SUSPENDED, Standing.REMOVED, Standing.NONE],
        target=Standing.VERIFIED,
        conditions=[guards.no_appeal_is_open, guards.not_held, guards.nothing_missing, guards.note_given],
        custom={"label": _("Reinstate"), "tone": "good", "note": _("What was looked at, for the partner"), **FROZEN},
    )
    def reinstate(self, *, now: Any, **_: Any) -> None:
        self._back(now)

    @stand(
        source=[Standing.NOTICE, Standing.SUSPENDED],
        target=None,
        permission=permissions.may_edit,
        conditions=[guards.not_appealed_yet, guards.note_given],
        custom={"label": _("Appeal"), "tone": "warn", "note": _("Why the decision is wrong"), **FROZEN},
    )
    def appeal(self, *, now: Any, **_: Any) -> None:
        self._stop(HELD_FOR_APPEAL, now)
        self.appealed_at = now

    @stand(
        source=[Standing.SUSPENDED, Standing.REMOVED, Standing.NONE],
        target=None,
        permission=permissions.may_ask_back,
        conditions=[guards.nothing_waits, guards.no_appeal_is_open, guards.note_given],
        custom={
            "label": _("Ask to be reinstated"),
            "tone": "warn",
            "note": _("What has changed"),
        },
    )
    def ask_reinstatement(self, **_: Any) -> None:
        self.standing_ask = "the partner asks to be reinstated"

    @stand(
        source=[Standing.VERIFIED, Standing.NOTICE, Standing.SUSPENDED],
        target=Standing.NONE,
        permission=permissions.may_manage,
        custom={
            "label": _("Step down to community"),
            "tone": "warn",
            "note": _("What users should know (optional)"),
        },
    )
    def step_down(self, *, now: Any, **_: Any) -> None:
        self._stand(now)
        self.tier = "community" if self.edition.tier("community") else ""
        self.tier_request = ""

    def _stand(self, now: Any, days: int | None = None) -> None:
        """A new standing begins; where it leaves a period, that ends after so many days."""
        self.standing_since = self.standing_looked_at = now
        self.standing_due_at = now + timedelta(days=days) if days else None
        self.standing_left = self.standing_told_at = self.appealed_at = None
        self.standing_hold = self.standing_ask = ""

    def _stop(self, why: str, now: Any) -> None:
        """The period is held: what is left of it is kept. A second reason keeps what the first one kept."""
        if self.standing_due_at is not None:
            self.standing_left = max(self.standing_due_at - now, timedelta())
        self.standing_hold, self.standing_due_at = why, None

    def _run_on(self, now: Any) -> None:
        self.standing_due_at = now + (self.standing_left or timedelta())
        self.standing_hold, self.standing_left, self.standing_told_at = "", None, None

    def _back(self, now: Any) -> None:
        self._stand(now)
        self.notice_by = self.suspended_by = None
        if self.edition.tier(self.tier) is None or self.tier == "community":
            self.tier = self.edition.release_tier.key
