"""How is each move of the due process told? One table from an event's verb to the words of its mail."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from integrations.models import Event


@dataclass(frozen=True, slots=True)
class Said:
    """A mail's words. `{name}`, `{company}` and `{actor}` are filled in; `then`: what follows and what can be done."""

    subject: str
    lead: str
    then: str = ""
    then_of_program: str = ""


LOOK = "Look at the evidence before you decide: the partner sees the same."
NO_MACHINE = "Nothing follows by itself: a reviewer has to decide."
SAID: dict[str, Said] = {
    "give_notice": Said(
        "Notice: {name}",
        "{actor} gave notice to {name}: its support has not kept the program’s promise.",
        "Its listing does not change and nobody else is told. Settle what the evidence names, or appeal. Whatever you "
        "do is looked at by a person before anything follows.",
    ),
    "suggest_notice": Said(
        "Is a notice due? {name} of {company}",
        "The portal found that {name} has not kept the promise often enough to ask you to look.",
        then_of_program="It is a suggestion: give notice, or leave it as it is. " + LOOK,
    ),
    "set_aside": Said(
        "Left as it is: {name}",
        "{actor} looked at {name} and leaves its standing as it is.",
    ),
    "hold_process": Said(
        "Held: the notice to {name}",
        "What {company} did is noted, and the period stands still until somebody of the program has looked at it.",
        "You need to do nothing for that.",
        "Take the notice back, reinstate it, or let the period run on. " + LOOK,
    ),
    "go_on": Said(
        "The period runs on: {name}",
        "{actor} looked at what {company} did. The time during which the period stood still is not counted.",
        "You can appeal once against each decision.",
    ),
    "period_ended": Said(
        "The period has ended: {name} of {company}",
        "The period that {name} was given has ended. " + NO_MACHINE,
        then_of_program=LOOK + " A suspension or a removal needs another reviewer than the step before it.",
    ),
    "suspend": Said(
        "Suspended: {name}",
        "{actor} suspended {name}. Its public page says so from now on.",
        "Its promise and its clocks go on. Settle what is left and ask to be reinstated, or appeal.",
    ),
    "suspend_at_once": Said(
        "Suspended at once: {name}",
        "{actor} suspended {name} without notice: its repository is in other hands. Its public page says so.",
        "Show whose it is now and ask to be reinstated, or appeal.",
    ),
    "remove": Said(
        "Removed from the listing: {name}",
        "{actor} removed {name} from the listing. Its public page stays and says so.",
        "You can ask to be reinstated at any time.",
    ),
    "appeal": Said(
        "Appeal: {name} of {company}",
        "{actor} appeals. The period stands still until the appeal is decided.",
        then_of_program="A reviewer decides who neither gave the notice nor suspended it. " + LOOK,
    ),
    "uphold_appeal": Said("Appeal upheld: {name}", "{actor} upheld the appeal: {name} has its standing back."),
    "dismiss_appeal": Said(
        "Appeal dismissed: {name}",
        "{actor} dismissed the appeal. The time during which the period stood still is not counted.",
        "The reviewers’ decisions and the evidence they had stay on the page for both sides.",
    ),
    "take_notice_back": Said("Notice taken back: {name}", "{actor} took the notice to {name} back."),
    "reinstate": Said("Reinstated: {name}", "{actor} looked afresh and reinstated {name}. Its public page says so."),
    "ask_reinstatement": Said(
        "Asks to be reinstated: {name} of {company}",
        "{actor} asks that {name} be reinstated.",
        then_of_program="Look afresh: reinstate it, or leave it as it is and say why.",
    ),
    "step_down": Said(
        "Now a community integration: {name}",
        "{company} no longer promises support for {name} and said so itself. Thank you for telling its users in time.",
        "No clock runs any more. You are welcome back: ask to be reinstated when you want to support it again.",
    ),
}
MAILED = tuple(SAID)


@dataclass(frozen=True, slots=True)
class Told:
    """The words of one event's mail, filled."""

    subject: str
    lead: str
    then: str
    then_of_program: str
    due: datetime | None
    acts: tuple[dict[str, Any], ...]


def told(event: Event) -> Told | None:
    """What the mail of a move of the due process says; None for any other event."""
    said, row = SAID.get(event.verb), event.integration
    if said is None or row is None:
        return None
    names = {"name": row.name, "company": row.partner.name, "actor": event.actor or "The portal"}
    due = event.data.get("standing_due") or ""
    return Told(
        subject=said.subject.format_map(names),
        lead=said.lead.format_map(names),
        then=said.then.format_map(names),
        then_of_program=said.then_of_program.format_map(names),
        due=datetime.fromisoformat(due) if due else None,
        acts=tuple(event.data.get("acts", ())),
    )
