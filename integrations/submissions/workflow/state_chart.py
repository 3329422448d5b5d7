"""What does the machine look like? The stages, the standing and every step, drawn from the model itself."""

from collections.abc import Iterator

from django_fsm import RETURN_VALUE, Transition

from integrations.partners import permissions
from integrations.submissions.models import Integration
from integrations.submissions.models.integration import WRITTEN
from integrations.submissions.workflow.states import ENDS, OPEN_STAGES

HEAD = """# The state machine

Drawn by `manage.py render_state_chart` from the steps of `integrations/submissions/models/`; a test compares it.
A step that keeps the stage is drawn as a loop. Which of the stages comes next on the path is the program's.
"""


def transitions(field: str) -> list[Transition]:
    """Every transition of a field in the order of the model, one a source."""
    order = WRITTEN
    found = Integration._meta.get_field(field).get_all_transitions(Integration)  # type: ignore[union-attr]
    stages = [str(s) for s in (*OPEN_STAGES, *ENDS)]
    return sorted(found, key=lambda t: (order.index(t.name), stages.index(t.source) if t.source in stages else -1))


def targets(step: Transition) -> list[str]:
    """Where a step leads: its target, its possible targets, or its own source."""
    if step.target is None:
        return [str(step.source)]
    if isinstance(step.target, RETURN_VALUE):
        return [str(t) for t in step.target.allowed_states or ()]
    return [str(step.target)]


def arrows(field: str) -> Iterator[str]:
    for step in transitions(field):
        for target in targets(step):
            source = "any" if step.source == "*" else str(step.source)
            yield f"    {source} --> {target}: {step.name}"


def rows(field: str) -> Iterator[str]:
    """One table row a step: its label, sources, targets, who may take it, and when it is ready."""
    steps: dict[str, list[Transition]] = {}
    for step in transitions(field):
        steps.setdefault(step.name, []).append(step)
    for name, found in steps.items():
        first = found[0]
        sources = ", ".join(str(s.source) for s in found)
        goals = ", ".join(dict.fromkeys(t for s in found for t in targets(s)))
        ready = ", ".join(c.__name__.replace("_", " ") for c in first.conditions) or "always"
        who = permissions.REFUSALS[first.permission.__name__]  # type: ignore[union-attr]
        yield f"| {name} | {first.custom.get('label', '')} | {sources} | {goals} | {who} | {ready} |"


def draw() -> str:
    """The whole picture as Markdown with Mermaid diagrams, ending in a newline."""
    parts = [HEAD]
    for field, title, start in (
        ("stage", "Stages", "engage"),
        ("standing", "Standing of a listed integration", "none"),
    ):
        parts += [
            f"## {title}\n",
            "```mermaid\nstateDiagram-v2",
            f"    [*] --> {start}",
            *arrows(field),
            "```\n",
            "| step | label | from | to | who | ready when |",
            "|---|---|---|---|---|---|",
            *rows(field),
            "",
        ]
    return "\n".join(parts).rstrip() + "\n"
