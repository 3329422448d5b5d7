"""Forms for granting and ending waivers."""

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
    """Reason and expiration date of a waiver."""

    reason = MultiLineField(
        label=gettext_lazy("Reason"),
        help_text=gettext_lazy("The partner and the public listing show this reason."),
        max_length=500,
        rows=3,
        error_messages={"required": gettext_lazy("Enter a reason. The partner and the public listing show it.")},
    )
    until = DayField(label=gettext_lazy("Expiration date"))

    def clean_until(self) -> datetime:
        day = self.cleaned_data["until"]
        end = timezone.make_aware(datetime.combine(day, time(23, 59)))
        if end <= timezone.now():
            raise ValidationError(_("Enter a future date."))
        if end > timezone.now() + MAX_WAIVER_PERIOD:
            raise ValidationError(_("A waiver can last up to two years."))
        return end


class WaiverEndForm(forms.Form):
    """Reason for ending a waiver before its expiration date."""

    reason = MultiLineField(
        label=gettext_lazy("Reason"),
        help_text=gettext_lazy("We send the reason to the partner by email."),
        max_length=500,
        rows=3,
        error_messages={"required": gettext_lazy("Enter a reason. The partner relied on the waiver.")},
    )
