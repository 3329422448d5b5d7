"""Command that writes the state chart of the workflow."""

from pathlib import Path

from django.conf import settings

from integrations.submissions.workflow.state_chart import render_chart
from portal.core.generated_docs import TableDocsCommand


class Command(TableDocsCommand):
    help = "Write the state chart of the workflow in docs/."
    subject = "the transitions of the models"

    def render_docs(self) -> tuple[Path, str]:
        return settings.BASE_DIR / "docs" / "reference" / "state-chart.md", render_chart()
