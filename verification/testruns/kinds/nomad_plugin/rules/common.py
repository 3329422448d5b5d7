"""What is true of any Nomad plugin: its start, what it says of itself, its configuration, its end?"""

import re

from verification.testruns.kinds.nomad_plugin.driver import API_VERSION
from verification.testruns.kinds.nomad_plugin.judging import check_answered, require_call
from verification.testruns.kinds.nomad_plugin.records import PLUGIN_TYPE_NUMBERS, NomadPluginRecords
from verification.testruns.kinds.run_task.judging import (
    RuleOutcome,
    report_failure,
    report_not_run,
    report_pass,
    report_warning,
)

TYPE_BY_NUMBER = {number: name for name, number in PLUGIN_TYPE_NUMBERS.items()}
API_VERSION_PATTERN = re.compile(r"v\d+\.\d+\.\d+")
NOTICE_PATTERN = re.compile(r"plugin", re.IGNORECASE)


def check_direct_start(records: NomadPluginRecords) -> RuleOutcome:
    call = require_call(records, "direct")
    if not call.is_answered:
        return report_failure(
            "Started without Nomad's cookie, it goes on running instead of saying that it is a plugin."
        )
    if not NOTICE_PATTERN.search(call.data["said"]):
        return report_warning("It ends, but does not say that it is a plugin.")
    if call.data["code"] == 0:
        return report_warning("It says that it is a plugin, but ends as if all were well (exit code 0).")
    return report_pass(f"It says that it is a plugin and ends with exit code {call.data['code']}.")


def check_handshake(records: NomadPluginRecords) -> RuleOutcome:
    call = require_call(records, "handshake")
    return check_answered(call) or report_pass(f"It answered after {call.seconds:.1f} s, over {call.data['network']}.")


def check_type(records: NomadPluginRecords) -> RuleOutcome:
    call = require_call(records, "info")
    reported_type, claimed_type = (
        TYPE_BY_NUMBER.get(int(call.data.get("type", 0)), "of no known type"),
        records.claims["type"],
    )
    if reported_type != claimed_type:
        return check_answered(call) or report_failure(
            f"It says that it is {_add_article(reported_type)}; it is submitted as a {claimed_type}."
        )
    return check_answered(call) or report_pass(f"It says that it is a {reported_type}.")


def check_name(records: NomadPluginRecords) -> RuleOutcome:
    call = require_call(records, "info")
    reported_name, claimed_name = call.data.get("name", ""), records.claims["name"]
    if not reported_name:
        return check_answered(call) or report_failure("It does not say its name.")
    if claimed_name and reported_name != claimed_name:
        return report_failure(f"It calls itself “{reported_name[:80]}”, not “{claimed_name}”.")
    return report_pass(f"It calls itself “{reported_name[:80]}”.")


def check_api_version(records: NomadPluginRecords) -> RuleOutcome:
    call = require_call(records, "info")
    versions = [str(each) for each in call.data.get("plugin_api_versions", ())]
    if not versions:
        return check_answered(call) or report_failure("It names no API version, so Nomad would not load it.")
    invalid_versions = [each for each in versions if not API_VERSION_PATTERN.fullmatch(each)]
    if invalid_versions:
        return report_failure(f"“{invalid_versions[0][:40]}” is no API version; Nomad's are written as {API_VERSION}.")
    if API_VERSION not in versions:
        return report_failure(f"It speaks {', '.join(versions)[:120]}; Nomad speaks {API_VERSION}.")
    return report_pass(f"It speaks {', '.join(versions)[:120]}.")


def check_release_version(records: NomadPluginRecords) -> RuleOutcome:
    call = require_call(records, "info")
    reported_version, claimed_version = call.data.get("plugin_version", ""), records.claims["version"]
    if not reported_version:
        return check_answered(call) or report_failure("It does not say its version.")
    if not claimed_version:
        return report_not_run(f"It says version {reported_version[:40]}; no release is known to compare it with.")
    if reported_version.removeprefix("v") != claimed_version.removeprefix("v"):
        return report_failure(f"It says version {reported_version[:40]}; the release is {claimed_version}.")
    return report_pass(f"It says version {reported_version[:40]}, which is the release's.")


def check_schema(records: NomadPluginRecords) -> RuleOutcome:
    call = require_call(records, "schema")
    if records.schema:
        return report_failure(" ".join(records.schema[:3])[:600])
    count = len(call.data.get("spec", {}).get("object", {}).get("attributes", {}))
    return check_answered(call) or report_pass(f"{count} {'name' if count == 1 else 'names'} at its top.")


def check_configuration(records: NomadPluginRecords) -> RuleOutcome:
    call = records.get_call("config")
    if records.problems:
        return report_failure(
            f"The supplied configuration does not fit the schema. {' '.join(records.problems[:3])}"[:600]
        )
    if call is None:
        return report_not_run("Not reached: there is no schema to make a configuration for.")
    return check_answered(call) or report_pass("It took the configuration.")


def check_invalid_configuration(records: NomadPluginRecords) -> RuleOutcome:
    garbage, alive = require_call(records, "garbage"), require_call(records, "alive")
    if garbage.is_answered:
        return report_failure("It takes bytes that are no configuration at all.")
    if not alive.is_answered:
        return report_failure(f"Bytes that are no configuration ended it. {alive.sentence}")
    if garbage.came == "UNIMPLEMENTED":
        return report_failure("It does not know the question SetConfig.")
    return report_pass("It refuses what it cannot read, and answers on.")


def check_shutdown(records: NomadPluginRecords) -> RuleOutcome:
    call = require_call(records, "end")
    if not call.data["ended"]:
        return report_warning("It went on when it was asked to end, and was stopped.")
    return report_pass(f"It ended {call.seconds:.1f} s after it was asked to.")


def _add_article(kind: str) -> str:
    return kind if kind.startswith("of") else f"a {kind}"
