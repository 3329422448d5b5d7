"""What is true of any Nomad plugin: its start, what it says of itself, its configuration, its end?"""

import re

from verification.testruns.kinds.nomad_plugin.driver import API_VERSION
from verification.testruns.kinds.nomad_plugin.judging import of, trouble
from verification.testruns.kinds.nomad_plugin.records import TYPES, Seen
from verification.testruns.kinds.run_task.judging import Said, failed, not_run, passed, warned

NUMBERS = {number: name for name, number in TYPES.items()}
KNOWN_API = re.compile(r"v\d+\.\d+\.\d+")
NOTICE = re.compile(r"plugin", re.IGNORECASE)


def direct(seen: Seen) -> Said:
    asked = of(seen, "direct")
    if not asked.is_answered:
        return failed("Started without Nomad's cookie, it goes on running instead of saying that it is a plugin.")
    if not NOTICE.search(asked.data["said"]):
        return warned("It ends, but does not say that it is a plugin.")
    if asked.data["code"] == 0:
        return warned("It says that it is a plugin, but ends as if all were well (exit code 0).")
    return passed(f"It says that it is a plugin and ends with exit code {asked.data['code']}.")


def handshake(seen: Seen) -> Said:
    asked = of(seen, "handshake")
    return trouble(asked) or passed(f"It answered after {asked.seconds:.1f} s, over {asked.data['network']}.")


def of_the_type(seen: Seen) -> Said:
    asked = of(seen, "info")
    told, claimed = NUMBERS.get(int(asked.data.get("type", 0)), "of no known type"), seen.claims["type"]
    if told != claimed:
        return trouble(asked) or failed(f"It says that it is {_a(told)}; it is submitted as a {claimed}.")
    return trouble(asked) or passed(f"It says that it is a {told}.")


def named(seen: Seen) -> Said:
    asked = of(seen, "info")
    told, claimed = asked.data.get("name", ""), seen.claims["name"]
    if not told:
        return trouble(asked) or failed("It does not say its name.")
    if claimed and told != claimed:
        return failed(f"It calls itself “{told[:80]}”, not “{claimed}”.")
    return passed(f"It calls itself “{told[:80]}”.")


def of_an_api(seen: Seen) -> Said:
    asked = of(seen, "info")
    told = [str(each) for each in asked.data.get("plugin_api_versions", ())]
    if not told:
        return trouble(asked) or failed("It names no API version, so Nomad would not load it.")
    odd = [each for each in told if not KNOWN_API.fullmatch(each)]
    if odd:
        return failed(f"“{odd[0][:40]}” is no API version; Nomad's are written as {API_VERSION}.")
    if API_VERSION not in told:
        return failed(f"It speaks {', '.join(told)[:120]}; Nomad speaks {API_VERSION}.")
    return passed(f"It speaks {', '.join(told)[:120]}.")


def of_the_version(seen: Seen) -> Said:
    asked = of(seen, "info")
    told, claimed = asked.data.get("plugin_version", ""), seen.claims["version"]
    if not told:
        return trouble(asked) or failed("It does not say its version.")
    if not claimed:
        return not_run(f"It says version {told[:40]}; no release is known to compare it with.")
    if told.removeprefix("v") != claimed.removeprefix("v"):
        return failed(f"It says version {told[:40]}; the release is {claimed}.")
    return passed(f"It says version {told[:40]}, which is the release's.")


def schema(seen: Seen) -> Said:
    asked = of(seen, "schema")
    if seen.schema:
        return failed(" ".join(seen.schema[:3])[:600])
    count = len(asked.data.get("spec", {}).get("object", {}).get("attributes", {}))
    return trouble(asked) or passed(f"{count} {'name' if count == 1 else 'names'} at its top.")


def configured(seen: Seen) -> Said:
    asked = seen.of("config")
    if seen.problems:
        return failed(f"The supplied configuration does not fit the schema. {' '.join(seen.problems[:3])}"[:600])
    if asked is None:
        return not_run("Not reached: there is no schema to make a configuration for.")
    return trouble(asked) or passed("It took the configuration.")


def refused(seen: Seen) -> Said:
    garbage, alive = of(seen, "garbage"), of(seen, "alive")
    if garbage.is_answered:
        return failed("It takes bytes that are no configuration at all.")
    if not alive.is_answered:
        return failed(f"Bytes that are no configuration ended it. {alive.sentence}")
    if garbage.came == "UNIMPLEMENTED":
        return failed("It does not know the question SetConfig.")
    return passed("It refuses what it cannot read, and answers on.")


def ended(seen: Seen) -> Said:
    asked = of(seen, "end")
    if not asked.data["ended"]:
        return warned("It went on when it was asked to end, and was stopped.")
    return passed(f"It ended {asked.seconds:.1f} s after it was asked to.")


def _a(kind: str) -> str:
    return kind if kind.startswith("of") else f"a {kind}"
