"""How is a document handed in, beside others or in the place of one?"""

from integrations.submissions.forms.buttons import FileForm, ReplacementForm


class DocumentUploadForm(ReplacementForm, FileForm):
    """A document, in addition or in the place of another one."""
