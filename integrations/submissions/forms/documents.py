"""Form for document uploads."""

from integrations.submissions.forms.buttons import FileForm, ReplacementForm


class DocumentUploadForm(ReplacementForm, FileForm):
    """Document to add, or to replace an existing one."""
