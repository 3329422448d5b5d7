"""Waivers on the requirement page."""

from datetime import UTC, datetime, time, timedelta

from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.translation import gettext as _, gettext_lazy

from integrations.partners import permissions
from integrations.submissions.services import waivers
from integrations.submissions.views.requirements.page import ActionForm, RequirementPage, build_reason_field
from portal.core.form_fields import DayField
from portal.ui.components.moments import format_day

MAX_WAIVER_PERIOD = timedelta(days=366 * 2)
WAIVER_END_TIME = time(23, 59)  # in UTC, so that all readers see the same day


class WaiverRequestForm(ActionForm):
    """Reason why the program should waive a requirement that has no request yet."""

    reason = build_reason_field(
        gettext_lazy("Explain why you can't complete the requirement, and until when."),
        missing=gettext_lazy("Enter a reason. The program decides based on it."),
    )

    @staticmethod
    def is_available(page: RequirementPage) -> bool:
        is_needed = page.is_open and page.state.needs_waiver(page.now)
        return (
            is_needed and page.state.waiver_requested_at is None and permissions.can_edit(page.integration, page.user)
        )

    def perform(self) -> str:
        self.page.call(waivers.request_waiver, **self.cleaned_data)
        return _("You requested a waiver of “%(title)s”.") % {"title": self.page.requirement.title}


class WaiverDeclineForm(ActionForm):
    """Reason for declining a request for a waiver."""

    reason = build_reason_field(
        gettext_lazy("We send the reason to the partner by email."),
        missing=gettext_lazy("Enter a reason. We record it with the decision."),
    )

    @staticmethod
    def is_available(page: RequirementPage) -> bool:
        return page.can_decide and page.state.waiver_requested_at is not None

    def perform(self) -> str:
        self.page.call(waivers.decline_waiver, **self.cleaned_data)
        return _("You declined the waiver of “%(title)s”.") % {"title": self.page.requirement.title}


class WaiverForm(ActionForm):
    """Reason and expiration date of a waiver."""

    reason = build_reason_field(
        gettext_lazy("The partner and the public listing show this reason."),
        missing=gettext_lazy("Enter a reason. The partner and the public listing show it."),
    )
    expires_on = DayField(
        label=gettext_lazy("Expiration date"), help_text=gettext_lazy("The waiver ends at 11:59 PM UTC on this day.")
    )

    def clean_expires_on(self) -> datetime:
        # West of UTC, the day that is still today for the reviewer can be over. The messages name a day that works.
        now = timezone.now()
        end = datetime.combine(self.cleaned_data["expires_on"], WAIVER_END_TIME, UTC)
        if end <= now:
            first_day = format_day((now + timedelta(minutes=1)).astimezone(UTC).date(), now)
            message = _("Enter %(day)s or later. In UTC, the day that you entered is over.")
            raise ValidationError(message % {"day": first_day})
        if end > now + MAX_WAIVER_PERIOD:
            last_day = (now + MAX_WAIVER_PERIOD - timedelta(hours=23, minutes=59)).astimezone(UTC).date()
            message = _("Enter %(day)s or earlier. A waiver can last up to two years.")
            raise ValidationError(message % {"day": format_day(last_day, now)})
        return end

    @staticmethod
    def is_available(page: RequirementPage) -> bool:
        return page.can_decide and page.state.needs_waiver(page.now)

    def perform(self) -> str:
        page = self.page
        reason = self.cleaned_data["reason"]
        expires_at = self.cleaned_data["expires_on"]
        if (page.state.waiver_reason, page.state.waiver_expires_at) != (reason, expires_at):
            page.call(waivers.waive_requirement, reason=reason, expires_at=expires_at)
        return _("You waived “%(title)s”.") % {"title": page.requirement.title}


class WaiverEndForm(ActionForm):
    """Reason for ending a waiver before its expiration date."""

    reason = build_reason_field(
        gettext_lazy("We send the reason to the partner by email."),
        missing=gettext_lazy("Enter a reason. The partner relied on the waiver."),
    )

    @staticmethod
    def is_available(page: RequirementPage) -> bool:
        return page.can_decide and page.state.is_waived(page.now)

    def perform(self) -> str:
        self.page.call(waivers.end_waiver, **self.cleaned_data)
        return _("You ended the waiver of “%(title)s”.") % {"title": self.page.requirement.title}


WAIVER_ACTIONS: dict[str, type[ActionForm]] = {
    "request_waiver": WaiverRequestForm,
    "decline_waiver": WaiverDeclineForm,
    "waive": WaiverForm,
    "end_waiver": WaiverEndForm,
}
