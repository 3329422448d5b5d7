"""Rules for Nomad plugins."""

from verification.outcomes import Outcome, get_worst_outcome
from verification.testruns.kinds.nomad_plugin.judging import NomadPluginRule
from verification.testruns.kinds.nomad_plugin.records import NomadPluginRecords
from verification.testruns.kinds.nomad_plugin.rules import common, device, task_driver
from verification.testruns.rule_results import RuleResult

RULES_VERSION = 1
RULES = (
    NomadPluginRule(
        "direct",
        "Direct start identifies the plugin",
        "Serve through the plugin library. It prints a notice and exits if Nomad's cookie is missing.",
        ("direct",),
        common.check_direct_start,
    ),
    NomadPluginRule(
        "handshake",
        "Handshake with Nomad",
        "Print nothing before the handshake, speak gRPC, and serve through the plugin library.",
        ("handshake",),
        common.check_handshake,
    ),
    NomadPluginRule(
        "info.type",
        "Submitted plugin type",
        "Return the correct type from PluginInfo.",
        ("info",),
        common.check_type,
    ),
    NomadPluginRule(
        "info.name",
        "Submitted plugin name",
        "Return the plugin's name from PluginInfo.",
        ("info",),
        common.check_name,
    ),
    NomadPluginRule(
        "info.api",
        "API version of Nomad",
        "Return the API version of the library that the plugin is built with.",
        ("info",),
        common.check_api_version,
    ),
    NomadPluginRule(
        "info.version",
        "Released plugin version",
        "Set the plugin's version from the release tag.",
        ("info",),
        common.check_release_version,
    ),
    NomadPluginRule(
        "schema",
        "Valid configuration schema",
        "Fix the specification that ConfigSchema returns.",
        ("schema",),
        common.check_schema,
    ),
    NomadPluginRule(
        "config",
        "Valid configuration accepted",
        "Check the error and the supplied configuration.",
        ("schema",),
        common.check_configuration,
    ),
    NomadPluginRule(
        "garbage",
        "Unreadable configuration rejected",
        "Return an error from SetConfig if it can't decode the bytes.",
        ("garbage", "alive"),
        common.check_invalid_configuration,
    ),
    NomadPluginRule(
        "task_schema",
        "Valid task schema",
        "Fix the specification that TaskConfigSchema returns.",
        ("task_schema",),
        task_driver.check_task_schema,
        "driver",
    ),
    NomadPluginRule(
        "capabilities",
        "Capabilities reported",
        "Return the capabilities of the driver.",
        ("capabilities",),
        task_driver.check_capabilities,
        "driver",
    ),
    NomadPluginRule(
        "fingerprint",
        "Immediate health report",
        "Send the first fingerprint when the stream opens, not after the first interval.",
        ("fingerprint",),
        task_driver.check_fingerprint,
        "driver",
    ),
    NomadPluginRule(
        "devices",
        "Immediate device report",
        "Send the first fingerprint when the stream opens. Give each group a vendor, type, and name, and each "
        "device a unique ID.",
        ("fingerprint",),
        device.check_devices,
        "device",
    ),
    NomadPluginRule(
        "reserve",
        "Unknown device rejected",
        "Return an error from Reserve for an ID that no fingerprint has reported.",
        ("reserve",),
        device.check_reservation,
        "device",
    ),
    NomadPluginRule(
        "stats",
        "Device statistics reported",
        "Send the first statistics within the interval.",
        ("stats",),
        device.check_stats,
        "device",
    ),
    NomadPluginRule(
        "end",
        "Shutdown on request",
        "Serve through the plugin library, which exits automatically.",
        ("end",),
        common.check_shutdown,
    ),
)


def judge(records: NomadPluginRecords) -> tuple[RuleResult, ...]:
    """Return the result of each rule for this plugin type, in the order of the table."""
    return tuple(rule.judge(records) for rule in RULES if rule.type in ("", records.claims["type"]))


def compute_outcome(results: tuple[RuleResult, ...]) -> Outcome:
    """Return the overall outcome."""
    return get_worst_outcome(result.outcome for result in results)
