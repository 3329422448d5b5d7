"""Tests of the committed state chart."""

from pathlib import Path

from django.conf import settings

from integrations.submissions.workflow.state_chart import generate_rows, render_chart


def test_committed_chart_is_current() -> None:
    assert (Path(settings.BASE_DIR) / "docs" / "reference" / "state-chart.md").read_text() == render_chart()


def test_every_transition_of_the_chart_names_its_actors() -> None:
    for field in ("stage", "listing_status"):
        for row in generate_rows(field):
            assert all(cell.strip() for cell in row.strip("|").split("|")[2:]), row
