"""Is everything destroyed, is what is gone noticed, does a failure keep what was made, and does no secret come out?"""

from verification.outcomes import Outcome
from verification.testruns.kinds.provider_lifecycle.judging import of, trouble, unread, why_missing
from verification.testruns.kinds.provider_lifecycle.plan_parsing import changing
from verification.testruns.kinds.provider_lifecycle.records import FINISHED, Ran, Seen, error_of, listed
from verification.testruns.kinds.provider_lifecycle.workspace import address_of
from verification.testruns.kinds.run_task.judging import Said, failed, not_run, passed, warned


def destroyed(seen: Seen) -> Said:
    ran = of(seen, "destroy")
    if ran.state:
        return trouble(ran) or failed(f"The destruction ended well, but the state still holds {listed(ran.state)}.")
    return trouble(ran) or passed("Everything was destroyed, and the state holds nothing.")


def noticed(seen: Seen) -> Said:
    """What was destroyed while another state still named it is planned to be created anew."""
    ran = of(seen, "gone")
    wrong = trouble(ran) or unread(ran)
    if wrong or ran.plan is None:
        return wrong or failed(ran.sentence)
    address = address_of(seen.source)
    every = {name: each for name, each in ran.plan["changes"].items() if each["provider"] == address}
    if not every:
        return not_run("Nothing of this provider was in the state, so nothing was shown.")
    unseen = sorted(name for name in every if changing(ran.plan).get(name, {}).get("actions") != ["create"])
    if unseen:
        return failed(f"{listed(unseen)} {_is(unseen)} gone, and that was not noticed: no new one is planned.")
    return passed(f"It was noticed that {listed(every)} {_is(list(every))} gone: a new one is planned.")


def _is(names: list[str]) -> str:
    return "is" if len(names) == 1 else "are"


def destroyed_when_gone(seen: Seen) -> Said:
    ran = of(seen, "gone_destroy")
    if ran.code == 1 and ran.ended == FINISHED:
        return failed(f"What is gone already cannot be destroyed. {error_of(ran)}")
    return trouble(ran) or passed("What is gone already is taken as destroyed.")


def kept(seen: Seen) -> Said:
    """What was made before a failure stays in the state."""
    if not seen.has_partial:
        return not_run("No configuration was given whose apply fails halfway.")
    ran, after = seen.of("partial"), seen.of("partial_destroy")
    if ran is None:
        return (Outcome.ERROR, f"We could not look: {seen.broken}") if seen.broken else not_run(why_missing(seen))
    if ran.ended != FINISHED:
        return failed(ran.sentence)
    if ran.code == 0:
        return not_run("The apply that is to fail did not fail, so nothing was shown.")
    if ": Creating..." not in ran.output:
        return not_run(f"It was refused before anything was made, so nothing was shown. {error_of(ran)}")
    if not ran.state:
        return failed("The apply failed halfway, and the state holds nothing: what was made before is lost.")
    if after is not None and (not after.is_good or after.state):
        return failed(f"The state keeps {listed(ran.state)}, but it cannot be destroyed. {error_of(after)}")
    marked = ", marked to be replaced," if ran.tainted else ""
    return passed(f"The apply failed halfway; the state{marked} keeps {listed(ran.state)}, and it could be destroyed.")


def unshown(seen: Seen) -> Said:
    """No credential in what is printed."""
    if not seen.has_secrets:
        return not_run("No credentials were given, so nothing could come out.")
    found = [(ran, ran.shown) for ran in seen.ran if ran.shown]
    if found:
        names, titles = listed(name for _, shown in found for name in shown), listed(f"“{r.title}”" for r, _ in found)
        return failed(f"The value of {names} was printed: {titles}. It is struck out here.")
    return passed("No credential was printed.") if seen.of("apply") else not_run(why_missing(seen))


def marked(seen: Seen) -> Said:
    """No credential in the state that is not marked as sensitive."""
    if not seen.has_secrets:
        return not_run("No credentials were given, so nothing could come out.")
    ran = of(seen, "change")
    if ran.unmarked:
        return failed(f"The state holds a credential that is not marked as sensitive: {listed(ran.unmarked)}.")
    return unread(ran) or passed("The state holds no credential that is not marked as sensitive.")


def nothing_left(seen: Seen) -> Said:
    """After all, the state is empty."""
    states = [ran.state for ran in seen.ran if ran.state is not None and ran.act != "gone_destroy"]
    if not seen.over:
        return not_run("Not reached yet.")
    if seen.broken:
        return Outcome.ERROR, f"We could not look: {seen.broken} Look in your test account for what may be left."
    if not states:
        return not_run("Nothing was made.")
    if states[-1]:
        return failed(f"{listed(states[-1])} could not be destroyed. Look in your test account for it.")
    made = (ran for ran in seen.ran if ran.act in ("apply", "update", "partial"))
    crashed = next((ran for ran in made if _was_lost(ran)), None)
    if crashed is not None:
        return warned(f"“{crashed.title}” failed while something was made that is in no state. "
                      "Look in your test account for it.")  # fmt: skip
    return passed("The state holds nothing any more.")


def _was_lost(ran: Ran) -> bool:
    """Whether something was being made of which the state knows nothing."""
    return not ran.is_good and ": Creating..." in ran.output and not ran.state
