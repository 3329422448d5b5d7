"""Does the provider start, take a configuration, refuse an incomplete one, and make what is planned?"""

from verification.testruns.kinds.provider_lifecycle.judging import INCONSISTENT, of, trouble, unread
from verification.testruns.kinds.provider_lifecycle.plan_parsing import changing
from verification.testruns.kinds.provider_lifecycle.records import FINISHED, Seen, error_of, listed
from verification.testruns.kinds.provider_lifecycle.workspace import PROBE
from verification.testruns.kinds.run_task.judging import Said, failed, not_run, passed, warned

NOTICE = ("plugin", "not meant to be executed directly")


def direct(seen: Seen) -> Said:
    ran = of(seen, "direct")
    said = " ".join(f"{ran.output} {ran.errors}".lower().split())
    if ran.ended != FINISHED:
        return failed(f"It does not say that it is a plugin, and does not end by itself. {ran.sentence}")
    if not all(words in said for words in NOTICE):
        return warned("It ends, but does not say that it is a plugin.")
    if ran.code == 0:
        return warned("It says that it is a plugin, and ends with exit code 0 as if it had done something.")
    return passed("It says that it is a plugin, and ends.")


def installed(seen: Seen) -> Said:
    return trouble(of(seen, "init")) or passed("Terraform finds and installs it.")


def valid(seen: Seen) -> Said:
    return trouble(of(seen, "validate")) or passed("The configuration fits the provider's schema.")


def refused(seen: Seen) -> Said:
    ran = of(seen, "refused")
    if ran.ended != FINISHED:
        return trouble(ran) or failed(ran.sentence)
    if ran.code == 1:
        return passed(f"It is refused: {error_of(ran)}")
    if PROBE in ran.output:
        return warned("A resource of which nothing is said is planned: nothing of it is required. "
                      "Give a configuration of your own that must be refused.")  # fmt: skip
    return failed("The configuration that must be refused is planned.")


def planned(seen: Seen) -> Said:
    ran = of(seen, "plan")
    found = trouble(ran) or unread(ran)
    if found or ran.plan is None:
        return found or failed(ran.sentence)
    others = {name: each for name, each in changing(ran.plan).items() if each["actions"] != ["create"]}
    if others:
        return failed(f"With an empty state, {listed(others)} would not be created but {_does(others)}.")
    if not changing(ran.plan):
        return not_run("The configuration makes nothing, so nothing was shown.")
    return passed(f"It creates {listed(changing(ran.plan))}.")


def _does(changes: dict[str, dict[str, list[str]]]) -> str:
    return listed(" and ".join(each["actions"]) for each in changes.values())


def applied(seen: Seen) -> Said:
    ran, plan = of(seen, "apply"), of(seen, "plan").plan or {"changes": {}}
    if INCONSISTENT in ran.errors:
        return failed(f"What was made is not what was planned. {error_of(ran)}")
    wrong = trouble(ran)
    if wrong:
        return wrong
    missing = sorted({*changing(plan)} - {*(ran.state or ())})
    if missing:
        return failed(f"The apply ended well, but the state does not hold {listed(missing)}.")
    return passed(f"It was made, and the state holds {listed(ran.state or ())}.")


def unchanged(seen: Seen) -> Said:
    return quiet(seen, "again", "The same configuration")


def settled(seen: Seen) -> Said:
    return quiet(seen, "settled", "The changed configuration")


def quiet(seen: Seen, act: str, what: str) -> Said:
    """Nothing changes in a plan of what was just applied."""
    ran = of(seen, act)
    wrong = trouble(ran)
    if wrong:
        return wrong
    if ran.code == 0:
        return passed(f"{what} planned again changes nothing.")
    found = changing(ran.plan or {"changes": {}})
    told = [f"{name} ({listed(each['changed'], 6)})" for name, each in found.items()]
    return failed(f"{what} planned again would change {listed(told) or 'something'}.")
