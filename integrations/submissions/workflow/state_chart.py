"""What does the machine look like? The stages, the standing and every step, drawn from the model itself."""

from collections.abc import Iterator

from django_fsm import RETURN_VALUE, Transition

from integrations.partners import permissions
from integrations.submissions.models import Integration
from integrations.submissions.models.integration import MEMBER_NAMES
from integrations.submissions.workflow.states import FINAL_STAGES, OPEN_STAGES

CHART_HEADER = """# The state machine

Drawn by `manage.py render_state_chart` from the steps of `integrations/submissions/models/`; a test compares it.
A step that keeps the stage is drawn as a loop. Which of the stages comes next on the path is the program's.
"""


def list_transitions(field: str) -> list[Transition]:
    """Every transition of a field in the order of the model, one a source."""
    member_names = MEMBER_NAMES
    field_transitions = Integration._meta.get_field(field).get_all_transitions(Integration)  # type: ignore[union-attr]
    stages = [str(s) for s in (*OPEN_STAGES, *FINAL_STAGES)]
    return sorted(
        field_transitions,
        key=lambda t: (member_names.index(t.name), stages.index(t.source) if t.source in stages else -1),
    )


def list_targets(transition: Transition) -> list[str]:
    """Where a step leads: its target, its possible targets, or its own source."""
    if transition.target is None:
        return [str(transition.source)]
    if isinstance(transition.target, RETURN_VALUE):
        return [str(t) for t in transition.target.allowed_states or ()]
    return [str(transition.target)]


def generate_arrows(field: str) -> Iterator[str]:
    for transition in list_transitions(field):
        for target in list_targets(transition):
            source = "any" if transition.source == "*" else str(transition.source)
            yield f"    {source} --> {target}: {transition.name}"


def generate_rows(field: str) -> Iterator[str]:
    """One table row a step: its label, sources, targets, who may take it, and when it is ready."""
    transitions_by_name: dict[str, list[Transition]] = {}
    for transition in list_transitions(field):
        transitions_by_name.setdefault(transition.name, []).append(transition)
    for name, same_name_transitions in transitions_by_name.items():
        first_transition = same_name_transitions[0]
        sources = ", ".join(str(s.source) for s in same_name_transitions)
        targets_text = ", ".join(dict.fromkeys(t for s in same_name_transitions for t in list_targets(s)))
        conditions = ", ".join(c.__name__.replace("_", " ") for c in first_transition.conditions) or "always"
        permission_text = permissions.REFUSALS_BY_RULE[first_transition.permission.__name__]  # type: ignore[union-attr]
        label = first_transition.custom.get("label", "")
        yield f"| {name} | {label} | {sources} | {targets_text} | {permission_text} | {conditions} |"


def render_chart() -> str:
    """The whole picture as Markdown with Mermaid diagrams, ending in a newline."""
    parts = [CHART_HEADER]
    for field, title, start in (
        ("stage", "Stages", "engage"),
        ("listing_status", "Standing of a listed integration", "unlisted"),
    ):
        parts += [
            f"## {title}\n",
            "```mermaid\nstateDiagram-v2",
            f"    [*] --> {start}",
            *generate_arrows(field),
            "```\n",
            "| step | label | from | to | who | ready when |",
            "|---|---|---|---|---|---|",
            *generate_rows(field),
            "",
        ]
    return "\n".join(parts).rstrip() + "\n"
