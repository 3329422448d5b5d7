"""Options of transitions: their labels, and what else happens when people perform them."""

from typing import Literal

from portal.core.content_files import Content, load_section


class TransitionOptions(Content):
    """Options of a transition.

    Attributes:
        label: Label of the button, blank for an automatic transition.
        result: Result of a decision after which the next review opens, before the name of the integration.
        tone: Tone of the button.
        note: Label of the note, if it is not a general one.
        is_decision: Whether the transition is a decision, which the deciding side can undo for a while.
        confirms_name: Whether people type the name of the integration to confirm the transition.
        is_compliance: Whether the compliance page offers the transition.
        has_evidence: Whether the event stores the evidence that both sides see.
        has_editable_email: Whether people can edit the email to the partner before they perform the transition.
    """

    label: str = ""
    result: str = ""
    tone: Literal["good", "warn", "bad", "neutral"] = "neutral"
    note: str = ""
    is_decision: bool = False
    confirms_name: bool = False
    is_compliance: bool = False
    has_evidence: bool = False
    has_editable_email: bool = False


TRANSITION_OPTIONS = load_section(
    "integrations/submissions/content/transitions.yaml", "transitions", dict[str, TransitionOptions]
)
