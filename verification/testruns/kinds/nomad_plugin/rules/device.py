"""Rules for device plugins: reported, reserved and measured devices."""

from collections import Counter

from verification.testruns.kinds.nomad_plugin.judging import check_answered, require_call
from verification.testruns.kinds.nomad_plugin.records import NomadPluginRecords
from verification.testruns.rule_results import RuleOutcome, report_failure, report_pass, report_warning

GROUP_FIELDS = ("vendor", "device_type", "device_name")


def check_devices(records: NomadPluginRecords) -> RuleOutcome:
    call = require_call(records, "fingerprint")
    groups = call.data.get("device_group", [])
    missing_fields = [key for group in groups for key in GROUP_FIELDS if not group.get(key)]
    ids = Counter(str(device.get("ID", "")) for group in groups for device in group.get("devices", ()))
    if not call.is_answered:
        return check_answered(call) or report_failure(call.sentence)
    if missing_fields:
        return report_failure(f"A device group has no {missing_fields[0].replace('_', ' ')}.")
    duplicate_ids = [name for name, count in ids.items() if count > 1 or not name]
    if duplicate_ids:
        return report_failure(f"The device ID “{duplicate_ids[0][:60]}” is empty or not unique.")
    if not ids:
        return report_pass("The plugin found no device on this machine and reported this immediately.")
    return report_pass(
        f"It told {len(ids)} device{'s' if len(ids) > 1 else ''} in {len(groups)} group"
        f"{'s' if len(groups) > 1 else ''}."
    )


def check_reservation(records: NomadPluginRecords) -> RuleOutcome:
    call = require_call(records, "reserve")
    if call.is_answered:
        return report_failure("The plugin reserves a device that it never reported.")
    if call.came in ("UNIMPLEMENTED", "ended"):
        return check_answered(call) or report_failure(call.sentence)
    return report_pass("The plugin rejects an unknown device.")


def check_stats(records: NomadPluginRecords) -> RuleOutcome:
    call = require_call(records, "stats")
    if not call.is_answered:
        return check_answered(call) or report_failure(call.sentence)
    groups = len(call.data.get("groups", []))
    device_groups = require_call(records, "fingerprint").data.get("device_group", [])
    if device_groups and not groups:
        return report_warning("The plugin reported devices, but no statistics.")
    return report_pass(f"It told figures of {groups} group{'' if groups == 1 else 's'} of devices.")
