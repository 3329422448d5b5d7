"""When this happened, do that: one table. Everything here runs in the transaction of the happening."""

from collections.abc import Callable

from integrations import history
from integrations.models import Event
from portal import mail, notices
from portal.accounts import notices as account_notices
from verification import jobs

Reaction = Callable[[Event], None]


def cancel_mail(event: Event) -> None:
    """The mail of a decision that was undone, or overtaken by the partner's own end of it, never goes."""
    earlier = Event.objects.filter(stream=event.stream, seq__lt=event.seq)
    decision = earlier.filter(data__has_key="undo_until").order_by("seq").last()
    if decision is not None:
        mail.cancel_held(decision)


def run_checks(event: Event) -> None:
    """What the partner claims is looked at by machines at once."""
    if event.integration is not None:
        jobs.enqueue(event.integration, by=None, now=event.at)


REACTIONS: dict[str, tuple[Reaction, ...]] = {
    "created": (run_checks,),
    "request_review": (run_checks,),
    "request_again": (run_checks,),
    "edition_moved": (run_checks,),
    "repository_changed": (run_checks,),
    "undo_decision": (cancel_mail,),
    "withdraw": (cancel_mail,),
    "archive": (cancel_mail,),
}


def react(event: Event) -> None:
    for reaction in REACTIONS.get(event.verb, ()):
        reaction(event)
    notices.tell(event)


def connect() -> None:
    """Called once when the app is ready."""
    history.listen(react)
    account_notices.connect()
