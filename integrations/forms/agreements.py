"""What does one side say when it signs an agreement, and is it fit?"""

from typing import Any

from integrations.forms.fields import Day
from integrations.forms.parts import WithFile
from integrations.plain import Line


class Sign(WithFile):
    """One side's signature. The version is asked of the side that begins."""

    version = Line(label="Version", help_text="As it stands on the document, such as 2026-01.", max_length=40)
    signer = Line(label="Signed by", help_text="Name of the person who signed.", max_length=120)
    signed_on = Day(label="Signed on")

    def __init__(self, *args: Any, version: str = "", **kwargs: Any) -> None:
        super().__init__(*args, accept=("pdf",), needed=False, **kwargs)
        self.fields["file"].label = "Signed document (PDF)"
        self.fields["file"].help_text = "Only owners of the company and the program can read it."
        if version:
            del self.fields["version"]
