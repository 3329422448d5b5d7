"""What do the rules find in the results that came to our callback address? One function a rule."""

import itertools
from collections.abc import Callable

from verification.testruns.kinds.run_task.callback_service import is_expected
from verification.testruns.kinds.run_task.judging import Said, decided, failed, listed, not_run, passed, warned
from verification.testruns.kinds.run_task.records import Exchange, Knock, Seen
from verification.testruns.kinds.run_task.scenario import said as stage_said

VERBS = {"passed": "pass", "failed": "fail"}
NOTHING = not_run("No result has come, so this was not shown.")


def token(seen: Seen) -> Said:
    """Each result carries its own run's bearer token."""
    words = {
        "missing": "A result came without a bearer token, and was answered with 401.",
        "another": "A result came with the token of another run, and was answered with 401.",
        "unknown": "A result came with a token that is not that of its run, and was answered with 401.",
    }
    found = [failed(words[each.token]) if each.token in words else GOOD_TOKEN for each in _of_runs(seen)]
    return decided(found, NOTHING)


GOOD_TOKEN = passed("Every result carried the token of its own run.")


def form(seen: Seen) -> Said:
    """PATCH, the platform's media type, and a document that can be read."""
    return decided((_form(each) for each in _of_runs(seen)), NOTHING)


def _form(knock: Knock) -> Said:
    if knock.method != "PATCH":
        return failed(f"A result was sent with {knock.method}, and was answered with 405; it is sent with PATCH.")
    if knock.form:
        return failed(f"A result could not be read, and was answered with {knock.answered}: {' '.join(knock.form[:3])}")
    if not is_expected(knock.content_type):
        return warned(f"A result came as {knock.content_type or 'no named type'}, not as application/vnd.api+json.")
    return passed("Every result was a JSON:API document sent with PATCH.")


def within_limits(seen: Seen) -> Said:
    """Message, address and size."""
    read = [each for each in _of_runs(seen) if not each.form]
    found = [failed(" ".join(each.limits)) if each.limits else passed("Every text keeps within its limit.")
             for each in read]  # fmt: skip
    return decided(found, NOTHING)


def outcomes(seen: Seen) -> Said:
    """Outcomes and their tags, where there are any."""
    knocks = _of_runs(seen)
    bad = [failed(" ".join(each.shape[:3])) for each in knocks if each.shape]
    if bad:
        return decided(bad, NOTHING)
    found = [each for knock in knocks for each in knock.outcomes]
    if not found:
        return not_run("No outcomes were sent. They are optional: they say line by line what was found.")
    tags = sum(len(each["tags"]) for each in found)
    return passed(f"{len(found)} outcomes with {tags} tags were sent, and could be read.")


def notes(seen: Seen) -> tuple[str, ...]:
    """Where documents contradict each other, and which reading was followed."""
    return tuple(dict.fromkeys(note for each in _of_runs(seen) for note in each.notes))[:6]


def end(seen: Seen) -> Said:
    """A final result within 60 minutes."""
    found = [_end(seen, run) for run in seen.runs() if run.status == 200 or seen.knocks_of(run.act)]
    return decided(found, not_run("No run was taken, so no result was to be expected."))


def _end(seen: Seen, run: Exchange) -> Said:
    knocks, limits = seen.knocks_of(run.act), seen.limits
    if seen.result_of(run.act):
        return passed("Every run that was taken got a final result in time.")
    if any(each.token == "dead" for each in knocks):  # noqa: S105
        return failed(f"A result came after {_time(limits.end)}, when the run had long been given up.")
    if not seen.over:
        return not_run("We still wait for a result.")
    if run.act in seen.awaited:
        return not_run("The rehearsal was stopped before a result came.")
    if not knocks:
        return failed(f"{_run(run)}: no result came.")
    if any(each.answered == 200 for each in knocks):
        return failed(f"{_run(run)}: “running” was said, and no final result came.")
    return not_run("What came could not be taken, so there is no final result.")


def progress(seen: Seen) -> Said:
    """A sign of life at least every 10 minutes."""
    longest, most = 0.0, seen.limits.silence
    taken = [(run, [k.after for k in seen.knocks_of(run.act) if k.answered == 200]) for run in seen.runs()]
    if not any(moments for _, moments in taken):
        return NOTHING
    for run, moments in taken:
        is_given_up = seen.over and run.act not in seen.awaited
        stopped = moments and is_given_up and not seen.result_of(run.act) and moments[-1] + most <= seen.limits.end
        edges = [0.0, *moments, *([moments[-1] + most + 1] if stopped else [])]
        longest = max([longest, *(after - before for before, after in itertools.pairwise(edges))])
    if longest > most:
        return failed(f"Nothing was said for more than {_time(most)}; the platform gives the run up then.")
    beats = sum(each.status == "running" and each.answered == 200 for each in _of_runs(seen))
    said = f"{beats} signs of life came" if beats else "No run took long enough to need a sign of life"
    return passed(f"{said}; the longest silence was {longest:.1f} seconds of {most:g}.")


def once(seen: Seen) -> Said:
    """One final result a run."""
    return decided((_once(seen, run) for run in seen.runs() if seen.result_of(run.act)), NOTHING)


def _once(seen: Seen, run: Exchange) -> Said:
    first = seen.result_of(run.act)
    later = [each for each in seen.knocks_of(run.act) if each.token == "used"]  # noqa: S105
    if first is None or not later:
        return passed("Every run got one final result.")
    other = [each.status for each in later if each.status not in ("", first.status)]
    if other:
        return failed(f"{_run(run)}: after “{first.status}” came {listed(f'“{each}”' for each in other)}, and was "
                      "answered with 401. The first result counts.")  # fmt: skip
    return warned(f"{_run(run)}: “{first.status}” was sent {len(later) + 1} times; only the first was taken.")


def scenario(name: str, wanted: str) -> Callable[[Seen], Said]:
    """The runs of a scenario end as they should."""

    def finds(seen: Seen) -> Said:
        runs = [run for run in seen.runs() if run.scenario == name]
        return decided((_scenario(seen, run, wanted) for run in runs), not_run("No such run has been made."))

    return finds


def _scenario(seen: Seen, run: Exchange, wanted: str) -> Said:
    result = seen.result_of(run.act)
    if result is None:
        return not_run(f"{stage_said(run.stage)}: no result came, so it was not shown.")
    if result.status != wanted:
        return failed(f"{stage_said(run.stage)}: the run that is to {VERBS[wanted]} {result.status}.")
    stages = listed(stage_said(each.stage) for each in seen.runs() if each.scenario == run.scenario)
    return passed(f"The run that is to {VERBS[wanted]} {wanted}: {stages}.")


def _of_runs(seen: Seen) -> list[Knock]:
    """What came for runs, each of which has a result."""
    runs = {run.act for run in seen.runs()}
    return [each for each in seen.knocks if each.act in runs]


def _run(run: Exchange) -> str:
    return f"{stage_said(run.stage)}, {run.scenario} run"


def _time(seconds: float) -> str:
    return f"{seconds / 60:g} minutes" if seconds >= 60 else f"{seconds:g} seconds"
