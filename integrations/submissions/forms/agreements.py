"""Form for agreement signatures."""

from typing import Unpack

from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from integrations.submissions.forms.buttons import FileForm
from portal.core.django_arguments import FormArguments
from portal.core.form_fields import DayField
from portal.core.text_fields import SingleLineField


class SignatureForm(FileForm):
    """Signature of one side. Only the side that signs first enters the version."""

    version = SingleLineField(
        label=gettext_lazy("Version"),
        help_text=gettext_lazy("Enter the version printed on the document. For example, 2026-01."),
        max_length=40,
    )
    signer = SingleLineField(
        label=gettext_lazy("Signed by"),
        help_text=gettext_lazy("Enter the name of the person who signed."),
        max_length=120,
    )
    signed_on = DayField(label=gettext_lazy("Signed on"))

    def __init__(self, *, request: HttpRequest, version: str = "", **kwargs: Unpack[FormArguments]) -> None:
        super().__init__(request=request, accept=("pdf",), is_required=False, **kwargs)
        self.fields["file"].label = _("Signed document (PDF)")
        self.fields["file"].help_text = _("Only owners of the company and program staff can read it.")
        if version:
            del self.fields["version"]
