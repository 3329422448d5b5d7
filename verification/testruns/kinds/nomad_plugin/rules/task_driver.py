"""Rules for task drivers: task schema, capabilities and health."""

from verification.testruns.kinds.nomad_plugin.judging import check_answered, require_call
from verification.testruns.kinds.nomad_plugin.records import NomadPluginRecords
from verification.testruns.rule_results import RuleOutcome, report_failure, report_pass, report_warning

HEALTH_NAMES = {0: "undetected", 1: "unhealthy", 2: "healthy"}
ISOLATION_NAMES = {0: "no file isolation", 1: "a chroot", 2: "images"}


def check_task_schema(records: NomadPluginRecords) -> RuleOutcome:
    if records.task_schema:
        return report_failure(" ".join(records.task_schema[:3])[:600])
    call = require_call(records, "task_schema")
    names = call.data.get("spec", {}).get("object", {}).get("attributes", {})
    if call.is_answered and not names:
        return report_warning("Tasks of this driver can't be configured: the schema is empty.")
    return check_answered(call) or report_pass(f"Tasks accept {', '.join(sorted(names))[:200]}.")


def check_capabilities(records: NomadPluginRecords) -> RuleOutcome:
    call = require_call(records, "capabilities")
    capabilities = call.data.get("capabilities", {})
    abilities = [
        label for key, label in (("send_signals", "signals"), ("exec", "commands in a task")) if capabilities.get(key)
    ]
    isolation = ISOLATION_NAMES.get(int(capabilities.get("fs_isolation", 0)), "unknown file isolation")
    return check_answered(call) or report_pass(f"Capabilities: {', '.join([*abilities, isolation])}.")


def check_fingerprint(records: NomadPluginRecords) -> RuleOutcome:
    call = require_call(records, "fingerprint")
    if not call.is_answered:
        return check_answered(call) or report_failure(call.sentence)
    health = HEALTH_NAMES.get(int(call.data.get("health", 0)), "of unknown health")
    reason = str(call.data.get("health_description", ""))[:200]
    if health == "healthy":
        return report_pass(f"It is healthy{f': {reason}' if reason else ''}.")
    if not reason:
        return report_failure(f"The driver is {health} and gives no reason.")
    return report_pass(f"The driver is {health} on this machine: {reason.rstrip('.')}.")
