"""What do the rules find in the endpoint's answers to our requests? One function a rule."""

from verification.outcomes import Outcome
from verification.testruns.kinds.run_task.judging import Said, decided, failed, not_run, passed, silent, warned
from verification.testruns.kinds.run_task.records import Exchange, Seen

PROBES = ("verify", "spaced", "future", "malformed")


def verification(seen: Seen) -> Said:
    """200, and nothing else."""
    exchange = seen.exchange("verify")
    nothing = silent(exchange)
    if nothing or exchange is None:
        return nothing or not_run("")
    return not_200(exchange) or passed(f"The verification request was answered with {exchange.line}.")


def not_200(exchange: Exchange) -> Said | None:
    """Why the answer does not do; None where it is 200."""
    if exchange.status == 200:
        return None
    if 300 <= exchange.status < 400:
        return failed(f"The answer was {exchange.status}, a redirect; it is not followed. Only 200 counts.")
    if 200 <= exchange.status < 300:
        return failed(f"The answer was {exchange.status}; the platform takes 200 only and refuses {exchange.status}.")
    return failed(f"The answer was {exchange.status}; only 200 counts, anything else is asked again.")


def quiet(seen: Seen) -> Said:
    """Nothing calls back about a verification request."""
    if any(seen.knocks_of(each) for each in PROBES):
        return warned("The endpoint sent a result for a verification request, of which there is no run.")
    asked = [exchange for each in PROBES if (exchange := seen.exchange(each))]
    if not any(each.status for each in asked):
        return not_run("No verification request has been answered." if asked else "This request has not been made.")
    return passed("No result was sent for the verification requests.")


def refused(seen: Seen, act: str, what: str) -> Said:
    """Answered with 4xx, and no result for it."""
    if not seen.has_key:
        return not_run("No key was given, so signatures were not tried.")
    exchange = seen.exchange(act)
    if exchange is None:
        return not_run("This request has not been made.")
    if seen.knocks_of(act):
        return failed(f"A request {what} was acted upon: a result was sent for it.")
    if 200 <= exchange.status < 300:
        return failed(f"A request {what} was answered with {exchange.status}.")
    if 400 <= exchange.status < 500:
        return _vacuous(seen) or passed(f"A request {what} was refused with {exchange.status}.")
    nothing = silent(exchange)
    if nothing:
        return not_run(f"It was not shown: {nothing[1]}")
    return warned(f"A request {what} was answered with {exchange.status}; a plain refusal is 401.")


def _vacuous(seen: Seen) -> Said | None:
    """Where the plain verification request was refused as well, a refusal says nothing."""
    first = seen.exchange("verify")
    if first is not None and 400 <= first.status < 500:
        return not_run(f"The plain verification request was refused with {first.status} too, so this was not shown.")
    return None


def unsigned(seen: Seen) -> Said:
    return refused(seen, "unsigned", "without a signature")


def wrong(seen: Seen) -> Said:
    return refused(seen, "wrong", "with a wrong signature")


def raw(seen: Seen) -> Said:
    """The signature is computed over the bytes as they came."""
    first, exchange = seen.exchange("verify"), seen.exchange("spaced")
    if not seen.has_key or exchange is None:
        return not_run("No key was given, so signatures were not tried.")
    if first is None or first.status != 200:
        return not_run("The plain verification request was not taken, so this was not shown.")
    if exchange.status != 200:
        return failed(f"The same document written with other spaces was answered with {exchange.status}.")
    if wrong(seen)[0] not in (Outcome.PASS, Outcome.WARN):
        return not_run("Wrong signatures were not refused, so this was not shown.")
    return passed("A document written with other spaces was taken by its signature.")


def unsigned_mode(seen: Seen) -> Said:
    """Only where no key was given."""
    if verification(seen)[0] == Outcome.PASS:
        return warned("Without a key everything is taken, whoever sends it.")
    return not_run("The verification request was not taken, so this was not shown.")


def malformed(seen: Seen) -> Said:
    """A body that is no JSON is refused and breaks nothing."""
    exchange = seen.exchange("malformed")
    nothing = silent(exchange)
    if nothing or exchange is None:
        return nothing or not_run("")
    if 400 <= exchange.status < 500:
        return _vacuous(seen) or passed(f"Half a document was refused with {exchange.status}.")
    if exchange.status >= 500:
        return failed(f"Half a document was answered with {exchange.status}: the endpoint breaks on it.")
    if exchange.status >= 300:
        return warned(f"Half a document was answered with {exchange.status}; a plain refusal is 400.")
    return warned(f"Half a document was answered with {exchange.status}, as if it had been read.")


def future(seen: Seen) -> Said:
    """A stage and a field that are not known yet do not break it."""
    first, exchange = seen.exchange("verify"), seen.exchange("future")
    if first is None or exchange is None or first.status != 200:
        return not_run("The plain verification request was not taken, so this was not shown.")
    if exchange.status == 200:
        return passed("A request with a stage and a field that it cannot know was taken.")
    return warned(f"A verification request with a new stage and a new field got {exchange.line}.")


def answered(seen: Seen) -> Said:
    """Every run is answered with 200."""
    runs = seen.runs()
    found = [_answered(each) for each in runs if not (each.status == 0 and each.ended == "slow")]
    return decided(found, not_run("No run has been answered yet."))


def _answered(run: Exchange) -> Said:
    return silent(run) or not_200(run) or passed("Every run was answered with 200.")


def first_answer(seen: Seen) -> Said:
    """Within 10 seconds, which is our own measure."""
    limits = seen.limits
    asked = [each for each in seen.exchanges if each.status or each.ended == "slow"]
    never = [each for each in asked if not each.status]
    if never:
        return failed(f"{len(never)} of {len(asked)} requests got no answer within {limits.give_up:g} seconds.")
    slowest = max((each.head_seconds for each in asked), default=None)
    if slowest is None:
        return not_run("No request has been answered yet.")
    if slowest > limits.first_answer:
        return warned(f"The slowest answer took {slowest:.1f} seconds; our measure is {limits.first_answer:g}.")
    return passed(f"The slowest answer took {slowest:.1f} of {limits.first_answer:g} seconds, which is our measure.")


def ends(seen: Seen) -> Said:
    """The body of each answer has an end."""
    asked = [each for each in seen.exchanges if each.status]
    bad = [each for each in asked if each.ended != "whole"]
    if not asked:
        return not_run("No request has been answered yet.")
    if bad:
        return failed(f"{len(bad)} of {len(asked)} answers had no proper end. {bad[0].sentence}")
    return passed("Every answer had an end.")
