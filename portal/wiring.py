"""When this happened, do that: one table. Everything here runs in the transaction of the happening."""

from collections.abc import Callable

from django.conf import settings
from django.contrib.auth import get_user_model
from django.utils import translation

from integrations.compliance import partner_activity
from integrations.partners import notices as account_notices
from integrations.programs.schema import Kind
from integrations.sla.services import monitoring
from integrations.submissions import notices
from portal.accounts.access import access_revoked
from portal.analytics import services as keeping
from portal.api.services import tokens
from portal.audit import services
from portal.audit.models import Event
from portal.directory import services as listings
from portal.notifications import calendar_feed, email, escalation
from portal.webhooks import fanout
from verification.checks.services import runs
from verification.sources import rate_limits
from verification.sources.models import Allowance

Reaction = Callable[[Event], None]


def cancel_mail(event: Event) -> None:
    """The mail of a decision that was undone, or overtaken by the partner's own end of it, never goes."""
    earlier = Event.objects.filter(stream=event.stream, seq__lt=event.seq)
    decision = earlier.filter(data__has_key="undo_until").order_by("seq").last()
    if decision is not None:
        email.cancel_held(decision)
        fanout.cancel(decision)


def run_checks(event: Event) -> None:
    """What the partner claims is looked at by machines at once."""
    if event.integration is not None:
        runs.enqueue(event.integration, now=event.at, reason=event.verb.replace("_", " ").capitalize())


def begin_watching(event: Event) -> None:
    """From the moment it is listed, the issues of its repository have clocks."""
    if event.integration is not None:
        monitoring.begin(event.integration, event.at)


def end_watching(event: Event) -> None:
    """Where the support ends, no clock runs."""
    if event.integration is not None:
        monitoring.end(event.integration, event.at)


def watch_the_new_one(event: Event) -> None:
    """The repository was changed: its issues are read from where it is now."""
    if event.integration is not None:
        monitoring.follow(event.integration, event.at)


def check_answers(event: Event) -> None:
    """What was written into a form may be what a check looks at."""
    row = event.integration
    requirement = row.edition.requirement(event.data.get("requirement", "")) if row is not None else None
    if row is not None and requirement is not None and requirement.kind == Kind.FORM:
        runs.enqueue(row, now=event.at, reason=f"Answered: {requirement.title}")


def tell_no_more(event: Event) -> None:
    """Who no longer belongs to the company hears no more of it, nor what waits for a morning or a digest."""
    if event.partner is not None:
        email.silence(event.data["person"], event.partner)


def keep_listing(event: Event) -> None:
    """What everyone reads in the directory follows at once."""
    if event.integration is not None:
        listings.keep(event.integration, event.at)
    elif event.partner is not None:
        listings.keep_all(event.partner, event.at)


# after these the public page of what is listed says something else
SHOWN_TO_ALL = (
    "answered", "not_needed", "document_uploaded", "document_removed", "facts_changed", "repository_changed",
    "edition_moved", "release", "archive", "grant_tier", "undo_decision", "suspend", "suspend_at_once", "remove",
    "uphold_appeal", "take_notice_back", "reinstate", "step_down", "company_changed",
)  # fmt: skip
REACTIONS: dict[str, tuple[Reaction, ...]] = {
    "created": (run_checks,),
    "request_review": (run_checks,),
    "request_again": (run_checks,),
    "edition_moved": (run_checks,),
    "answered": (check_answers,),
    "facts_changed": (run_checks,),
    "repository_changed": (run_checks, watch_the_new_one),
    "release": (begin_watching,),
    "issues_breached": (escalation.begin,),
    "breaches_retracted": (escalation.correct,),
    "appeal": (run_checks,),
    "hold_process": (run_checks,),
    "ask_reinstatement": (run_checks,),
    "reinstate": (begin_watching,),
    "remove": (end_watching,),
    "step_down": (cancel_mail, end_watching),
    "undo_decision": (cancel_mail,),
    "withdraw": (cancel_mail,),
    "archive": (cancel_mail, end_watching),
    "membership_ended": (tell_no_more,),
}


def tell_staff(dead: Allowance) -> None:
    """A credential that GitHub refuses is the staff's to replace: one mail each."""
    said, key = {"name": dead.name, "why": dead.dead_why}, f"github:{dead.name}:{dead.dead_at}"
    for person in get_user_model().objects.filter(is_staff=True, is_active=True):
        email.queue("github_credential_dead", f"{key}:{person.pk}", person, said, now=dead.dead_at)


def react(event: Event) -> None:
    """Everything that follows, in the portal's own language: what is written down is read by others too."""
    with translation.override(settings.LANGUAGE_CODE):
        for reaction in REACTIONS.get(event.verb, ()):
            reaction(event)
        if event.verb in SHOWN_TO_ALL:
            keep_listing(event)
        notices.tell(event)
        fanout.tell(event)


def connect() -> None:
    """Called once when the app is ready."""
    services.listen(react)
    services.listen_to_turns(keeping.follow)
    rate_limits.listen(tell_staff)
    account_notices.connect()
    tokens.connect()
    access_revoked.connect(calendar_feed.revoke)
    partner_activity.connect()
