"""Rules of the Nomad plugin test. Their texts are in content/rules.yaml."""

import re
from collections import Counter
from pathlib import Path

from verification.outcomes import format_count
from verification.plugins.messages import API_VERSION, PLUGIN_TYPE_NUMBERS
from verification.sandbox.types import ExitReason
from verification.testruns.kinds.nomad_plugin.records import NomadPluginRecords, PluginCall
from verification.testruns.rules import (
    RuleCatalog,
    RuleOutcome,
    report_failure,
    report_not_run,
    report_pass,
    report_warning,
)

RULES = RuleCatalog(Path(__file__).parent / "content" / "rules.yaml")
UNIMPLEMENTED = "UNIMPLEMENTED"
STATUSES_WITHOUT_ANSWER = ("ended", "too much", *ExitReason)  # any other status is the plugin's own error
TYPE_BY_NUMBER = {number: f"a {name}" for name, number in PLUGIN_TYPE_NUMBERS.items()}
API_VERSION_PATTERN = re.compile(r"v\d+\.\d+\.\d+")
GROUP_FIELDS = ("vendor", "device_type", "device_name")
HEALTH_NAMES = {0: "undetected", 1: "unhealthy", 2: "healthy"}
ISOLATION_NAMES = {0: "no file isolation", 1: "a chroot", 2: "images"}


@RULES.check("direct")
def check_direct_start(records: NomadPluginRecords, call: PluginCall) -> RuleOutcome:
    if not call.is_good:
        return report_failure(f"Without Nomad's cookie, the plugin doesn't exit with a notice. {call.message}")
    if "plugin" not in call.data["output"].lower():
        return report_warning("The plugin exits, but prints no notice that it is a plugin.")
    # HashiCorp's plugin library exits with 1 after its notice.
    if call.data["code"] == 0:
        return report_warning("The plugin prints its notice, but exits with code 0 as if it succeeded.")
    return report_pass(f"The plugin prints its notice and exits with code {call.data['code']}.")


@RULES.check("handshake")
def check_handshake(records: NomadPluginRecords, call: PluginCall) -> RuleOutcome:
    return report_pass(f"The plugin responded after {call.seconds:.1f} s, over {call.data['network']}.")


@RULES.check("info.type")
def check_type(records: NomadPluginRecords, call: PluginCall) -> RuleOutcome:
    reported_type = TYPE_BY_NUMBER.get(int(call.data.get("type", 0)), "of an unknown type")
    if reported_type != f"a {records.target.type}":
        return report_failure(
            f"The plugin reports that it is {reported_type}, but it was submitted as a {records.target.type}."
        )
    return report_pass(f"The plugin reports that it is {reported_type}.")


@RULES.check("info.name")
def check_name(records: NomadPluginRecords, call: PluginCall) -> RuleOutcome:
    name = call.data.get("name", "")
    if not name:
        return report_failure("The plugin doesn't report its name.")
    if records.target.name not in ("", name):
        return report_failure(f"The plugin reports the name “{name[:80]}”, not “{records.target.name}”.")
    return report_pass(f"The plugin reports the name “{name[:80]}”.")


@RULES.check("info.api")
def check_api_version(records: NomadPluginRecords, call: PluginCall) -> RuleOutcome:
    versions = [str(each) for each in call.data.get("plugin_api_versions", ())]
    invalid = next((each for each in versions if not API_VERSION_PATTERN.fullmatch(each)), None)
    if not versions:
        return report_failure("The plugin reports no API version, so Nomad wouldn't load it.")
    if invalid is not None:
        return report_failure(f"“{invalid[:40]}” isn't an API version. Nomad's versions look like {API_VERSION}.")
    # Nomad's agent selects a version that both sides support, and it has only one.
    summary = f"The plugin supports API version {', '.join(versions)[:120]}."
    return report_pass(summary) if API_VERSION in versions else report_failure(f"{summary} Nomad needs {API_VERSION}.")


@RULES.check("info.version")
def check_release_version(records: NomadPluginRecords, call: PluginCall) -> RuleOutcome:
    version = call.data.get("plugin_version", "")
    released = records.target.version
    summary = f"The plugin reports version {version[:40]}"
    if not version:
        return report_failure("The plugin doesn't report its version.")
    if not released:
        return report_not_run(f"{summary}. GitHub has no release to compare it with. Publish one.")
    # Plugins report their versions with and without the “v” of the tag.
    if version.removeprefix("v") != released.removeprefix("v"):
        return report_failure(f"{summary}, but the release is {released}.")
    return report_pass(f"{summary}, as in the release.")


@RULES.check("schema")
def check_schema(records: NomadPluginRecords, call: PluginCall) -> RuleOutcome:
    if records.schema_problems:
        return report_failure(" ".join(records.schema_problems[:3])[:600])
    return report_pass(f"The schema has {format_count(len(_get_attributes(call)), 'top-level name')}.")


def _get_attributes(call: PluginCall) -> dict[str, object]:
    attributes: dict[str, object] = call.data.get("spec", {}).get("object", {}).get("attributes", {})
    return attributes


@RULES.check("config")
def check_configuration(records: NomadPluginRecords, schema_call: PluginCall) -> RuleOutcome:
    call = records.get_step("config")
    if records.config_problems:
        problems = " ".join(records.config_problems[:3])
        return report_failure(f"The supplied configuration doesn't match the schema. {problems}"[:600])
    if call is None and schema_call.is_good and not records.schema_problems:
        return records.explain_missing_step()
    if call is None:
        return report_not_run("Not reached: without a schema, we can't build a configuration.")
    return call.find_failure() or report_pass("The plugin accepted the configuration.")


@RULES.check("garbage")
def check_invalid_configuration(records: NomadPluginRecords, alive: PluginCall, call: PluginCall) -> RuleOutcome:
    if call.is_good:
        return report_failure("The plugin accepts bytes that aren't a configuration.")
    # The response alone proves nothing: a plugin can refuse the bytes and exit right afterward.
    if not alive.is_good:
        return report_failure(f"The plugin exited after receiving bytes that aren't a configuration. {alive.message}")
    if call.status == UNIMPLEMENTED:
        return report_failure("The plugin doesn't implement SetConfig.")
    if call.status in STATUSES_WITHOUT_ANSWER:
        return report_failure(f"The plugin doesn't reject bytes that aren't a configuration. {call.message}")
    return report_pass("The plugin rejects unreadable bytes and keeps responding.")


@RULES.check("task_schema")
def check_task_schema(records: NomadPluginRecords, call: PluginCall) -> RuleOutcome:
    names = sorted(_get_attributes(call))
    if records.task_schema_problems:
        return report_failure(" ".join(records.task_schema_problems[:3])[:600])
    if not names:
        return report_warning("Tasks of this driver can't be configured: the schema is empty.")
    return report_pass(f"Tasks accept {', '.join(names)[:200]}.")


@RULES.check("capabilities")
def check_capabilities(records: NomadPluginRecords, call: PluginCall) -> RuleOutcome:
    capabilities = call.data.get("capabilities", {})
    labels = {"send_signals": "signals", "exec": "commands in a task"}
    isolation = ISOLATION_NAMES.get(int(capabilities.get("fs_isolation", 0)), "unknown file isolation")
    abilities = [label for key, label in labels.items() if capabilities.get(key)]
    return report_pass(f"Capabilities: {', '.join([*abilities, isolation])}.")


@RULES.check("fingerprint")
def check_fingerprint(records: NomadPluginRecords, call: PluginCall) -> RuleOutcome:
    health = HEALTH_NAMES.get(int(call.data.get("health", 0)), "of unknown health")
    reason = str(call.data.get("health_description", ""))[:200].rstrip(".")
    # Our worker may lack what a driver needs, so it can be unhealthy here if it explains why.
    if health != "healthy" and not reason:
        return report_failure(f"The driver is {health} and gives no reason.")
    return report_pass(f"The driver is {health} on this machine{f': {reason}' if reason else ''}.")


@RULES.check("devices")
def check_devices(records: NomadPluginRecords, call: PluginCall) -> RuleOutcome:
    groups = call.data.get("device_group", [])
    missing_fields = [key for group in groups for key in GROUP_FIELDS if not group.get(key)]
    ids = Counter(str(device.get("ID", "")) for group in groups for device in group.get("devices", ()))
    duplicate_ids = [name for name, count in ids.items() if count > 1 or not name]
    if missing_fields:
        return report_failure(f"A device group has no {missing_fields[0].replace('_', ' ')}.")
    if duplicate_ids:
        return report_failure(f"The device ID “{duplicate_ids[0][:60]}” is empty or not unique.")
    # Our worker has no special hardware, so finding nothing is the expected response.
    if not ids:
        return report_pass("The plugin found no device on this machine and reported this immediately.")
    return report_pass(f"Devices reported: {len(ids)}. Device groups: {len(groups)}.")


@RULES.check("reserve")
def check_reservation(records: NomadPluginRecords, call: PluginCall) -> RuleOutcome:
    if call.is_good:
        return report_failure("The plugin reserves a device that it never reported.")
    # A refusal is what the rule wants, but only one that the plugin sent itself.
    failure = call.find_failure() if call.status in (UNIMPLEMENTED, *STATUSES_WITHOUT_ANSWER) else None
    return failure or report_pass("The plugin rejects an unknown device.")


@RULES.check("stats")
def check_stats(records: NomadPluginRecords, fingerprint: PluginCall, call: PluginCall) -> RuleOutcome:
    groups = call.data.get("groups", [])
    if fingerprint.data.get("device_group") and not groups:
        return report_warning("The plugin reported devices, but no statistics.")
    return report_pass(f"Device groups with statistics: {len(groups)}.")


@RULES.check("end")
def check_shutdown(records: NomadPluginRecords, call: PluginCall) -> RuleOutcome:
    # Only a warning: Nomad kills a plugin that doesn't exit, as we do.
    if not call.data["ended"]:
        return report_warning("The plugin kept running after the shutdown request, so we stopped it.")
    return report_pass(f"The plugin exited {call.seconds:.1f} s after the shutdown request.")
