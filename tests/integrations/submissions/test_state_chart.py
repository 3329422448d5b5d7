"""Tests of the state chart."""

from integrations.submissions.management.commands.render_state_chart import generate_rows


def test_every_transition_of_the_chart_names_its_actors() -> None:
    for field in ("stage", "listing_status"):
        for row in generate_rows(field):
            assert all(cell.strip() for cell in row.strip("|").split("|")[2:]), row
