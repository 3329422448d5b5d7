"""Form for document uploads."""

from collections.abc import Sequence
from typing import Unpack

from django.http import HttpRequest

from integrations.submissions.forms.buttons import FileForm, build_replaces_field
from portal.core.django_arguments import FormArguments


class DocumentUploadForm(FileForm):
    """Document to add, or to replace an existing one."""

    def __init__(
        self,
        *,
        request: HttpRequest,
        accept: tuple[str, ...],
        replaceable: Sequence[tuple[str, str]] = (),
        **kwargs: Unpack[FormArguments],
    ) -> None:
        super().__init__(request=request, accept=accept, **kwargs)
        self.fields["replaces"] = build_replaces_field(replaceable)
