"""For what reason, and until when, may a requirement count as met, or why no longer, and is that fit?"""

from datetime import datetime, time, timedelta

from django import forms
from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from portal.core.form_fields import DayField
from portal.core.text_fields import MultiLineField

MAX_WAIVER_PERIOD = timedelta(days=366 * 2)


class WaiverForm(forms.Form):
    """For what reason, and until when, a requirement counts as met."""

    reason = MultiLineField(
        label=gettext_lazy("Reason"),
        help_text=gettext_lazy("The company and the listing show it."),
        max_length=500,
        rows=3,
        error_messages={"required": gettext_lazy("Say why: the reason is shown with the waiver.")},
    )
    until = DayField(label=gettext_lazy("Until the end of"))

    def clean_until(self) -> datetime:
        day = self.cleaned_data["until"]
        end = timezone.make_aware(datetime.combine(day, time(23, 59)))
        if end <= timezone.now():
            raise ValidationError(_("A waiver needs an end in the future."))
        if end > timezone.now() + MAX_WAIVER_PERIOD:
            raise ValidationError(_("A waiver lasts two years at most."))
        return end


class EndWaiver(forms.Form):
    """Why a requirement no longer counts as met before the day that was named."""

    reason = MultiLineField(
        label=gettext_lazy("Reason"),
        help_text=gettext_lazy("The company is told by mail."),
        max_length=500,
        rows=3,
        error_messages={"required": gettext_lazy("Say why: the company relied on the waiver.")},
    )
