"""Rules for all Nomad plugins: start, identity, configuration and shutdown."""

import re

from verification.testruns.kinds.nomad_plugin.driver import API_VERSION
from verification.testruns.kinds.nomad_plugin.judging import check_answered, require_call
from verification.testruns.kinds.nomad_plugin.records import PLUGIN_TYPE_NUMBERS, NomadPluginRecords
from verification.testruns.rule_results import RuleOutcome, report_failure, report_not_run, report_pass, report_warning

TYPE_BY_NUMBER = {number: name for name, number in PLUGIN_TYPE_NUMBERS.items()}
API_VERSION_PATTERN = re.compile(r"v\d+\.\d+\.\d+")
NOTICE_PATTERN = re.compile(r"plugin", re.IGNORECASE)


def check_direct_start(records: NomadPluginRecords) -> RuleOutcome:
    call = require_call(records, "direct")
    if not call.is_answered:
        return report_failure("Without Nomad's cookie, the plugin keeps running instead of exiting with a notice.")
    if not NOTICE_PATTERN.search(call.data["said"]):
        return report_warning("The plugin exits, but prints no notice that it is a plugin.")
    if call.data["code"] == 0:
        return report_warning("The plugin prints its notice, but exits with code 0 as if it succeeded.")
    return report_pass(f"The plugin prints its notice and exits with code {call.data['code']}.")


def check_handshake(records: NomadPluginRecords) -> RuleOutcome:
    call = require_call(records, "handshake")
    return check_answered(call) or report_pass(
        f"The plugin responded after {call.seconds:.1f} s, over {call.data['network']}."
    )


def check_type(records: NomadPluginRecords) -> RuleOutcome:
    call = require_call(records, "info")
    reported_type, claimed_type = (
        TYPE_BY_NUMBER.get(int(call.data.get("type", 0)), "of an unknown type"),
        records.claims["type"],
    )
    if reported_type != claimed_type:
        return check_answered(call) or report_failure(
            f"The plugin reports that it is {_add_article(reported_type)}, but it was submitted as a {claimed_type}."
        )
    return check_answered(call) or report_pass(f"The plugin reports that it is a {reported_type}.")


def check_name(records: NomadPluginRecords) -> RuleOutcome:
    call = require_call(records, "info")
    reported_name, claimed_name = call.data.get("name", ""), records.claims["name"]
    if not reported_name:
        return check_answered(call) or report_failure("The plugin doesn't report its name.")
    if claimed_name and reported_name != claimed_name:
        return report_failure(f"The plugin reports the name “{reported_name[:80]}”, not “{claimed_name}”.")
    return report_pass(f"The plugin reports the name “{reported_name[:80]}”.")


def check_api_version(records: NomadPluginRecords) -> RuleOutcome:
    call = require_call(records, "info")
    versions = [str(each) for each in call.data.get("plugin_api_versions", ())]
    if not versions:
        return check_answered(call) or report_failure("The plugin reports no API version, so Nomad wouldn't load it.")
    invalid_versions = [each for each in versions if not API_VERSION_PATTERN.fullmatch(each)]
    if invalid_versions:
        return report_failure(
            f"“{invalid_versions[0][:40]}” isn't an API version. Nomad's versions look like {API_VERSION}."
        )
    if API_VERSION not in versions:
        return report_failure(
            f"The plugin supports API version {', '.join(versions)[:120]}. Nomad needs {API_VERSION}."
        )
    return report_pass(f"The plugin supports API version {', '.join(versions)[:120]}.")


def check_release_version(records: NomadPluginRecords) -> RuleOutcome:
    call = require_call(records, "info")
    reported_version, claimed_version = call.data.get("plugin_version", ""), records.claims["version"]
    if not reported_version:
        return check_answered(call) or report_failure("The plugin doesn't report its version.")
    if not claimed_version:
        return report_not_run(
            f"The plugin reports version {reported_version[:40]}. There is no release to compare it with."
        )
    if reported_version.removeprefix("v") != claimed_version.removeprefix("v"):
        return report_failure(
            f"The plugin reports version {reported_version[:40]}, but the release is {claimed_version}."
        )
    return report_pass(f"The plugin reports version {reported_version[:40]}, as in the release.")


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
            f"The supplied configuration doesn't match the schema. {' '.join(records.problems[:3])}"[:600]
        )
    if call is None:
        return report_not_run("Not reached: without a schema, we can't build a configuration.")
    return check_answered(call) or report_pass("The plugin accepted the configuration.")


def check_invalid_configuration(records: NomadPluginRecords) -> RuleOutcome:
    garbage, alive = require_call(records, "garbage"), require_call(records, "alive")
    if garbage.is_answered:
        return report_failure("The plugin accepts bytes that aren't a configuration.")
    if not alive.is_answered:
        return report_failure(f"The plugin exited after receiving bytes that aren't a configuration. {alive.sentence}")
    if garbage.came == "UNIMPLEMENTED":
        return report_failure("The plugin doesn't implement SetConfig.")
    return report_pass("The plugin rejects unreadable bytes and keeps responding.")


def check_shutdown(records: NomadPluginRecords) -> RuleOutcome:
    call = require_call(records, "end")
    if not call.data["ended"]:
        return report_warning("The plugin kept running after the shutdown request, so we stopped it.")
    return report_pass(f"The plugin exited {call.seconds:.1f} s after the shutdown request.")


def _add_article(kind: str) -> str:
    return kind if kind.startswith("of") else f"a {kind}"
