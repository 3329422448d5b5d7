"""Which rules does a Nomad plugin keep? The table, and the verdict of each on what was seen."""

from verification.outcomes import Outcome, get_worst_outcome
from verification.testruns.kinds.nomad_plugin.judging import NomadPluginRule
from verification.testruns.kinds.nomad_plugin.records import NomadPluginRecords
from verification.testruns.kinds.nomad_plugin.rules import common, device, task_driver
from verification.testruns.kinds.run_task.judging import RuleResult

RULES_VERSION = 1
RULES = (
    NomadPluginRule(
        "direct",
        "Started directly, it says that it is a plugin",
        "Serve through the plugin library, which prints a notice and ends where Nomad's cookie is missing.",
        ("direct",),
        common.check_direct_start,
    ),
    NomadPluginRule(
        "handshake",
        "It answers Nomad's handshake",
        "Print nothing before the handshake, speak gRPC, and serve through the plugin library.",
        ("handshake",),
        common.check_handshake,
    ),
    NomadPluginRule(
        "info.type",
        "It is of the type that it is submitted as",
        "Return the right type from PluginInfo.",
        ("info",),
        common.check_type,
    ),
    NomadPluginRule(
        "info.name",
        "It has a name, and the one that is known",
        "Return the plugin's name from PluginInfo.",
        ("info",),
        common.check_name,
    ),
    NomadPluginRule(
        "info.api",
        "It speaks an API version of Nomad",
        "Name the API version of the library that it is built with.",
        ("info",),
        common.check_api_version,
    ),
    NomadPluginRule(
        "info.version",
        "It tells the version of its release",
        "Set the plugin's version from the release's tag.",
        ("info",),
        common.check_release_version,
    ),
    NomadPluginRule(
        "schema",
        "The schema of its configuration is well formed",
        "Mend the specification that ConfigSchema returns.",
        ("schema",),
        common.check_schema,
    ),
    NomadPluginRule(
        "config",
        "It takes a good configuration",
        "Look at the error, and at the configuration that was supplied.",
        ("schema",),
        common.check_configuration,
    ),
    NomadPluginRule(
        "garbage",
        "It refuses what cannot be read, and goes on",
        "Return an error from SetConfig where its bytes cannot be decoded.",
        ("garbage", "alive"),
        common.check_invalid_configuration,
    ),
    NomadPluginRule(
        "task_schema",
        "The schema of its tasks is well formed",
        "Mend the specification that TaskConfigSchema returns.",
        ("task_schema",),
        task_driver.check_task_schema,
        "driver",
    ),
    NomadPluginRule(
        "capabilities",
        "It tells what it can",
        "Return its capabilities.",
        ("capabilities",),
        task_driver.check_capabilities,
        "driver",
    ),
    NomadPluginRule(
        "fingerprint",
        "It tells at once how it is",
        "Send the first fingerprint when the stream is opened, not after the first interval.",
        ("fingerprint",),
        task_driver.check_fingerprint,
        "driver",
    ),
    NomadPluginRule(
        "devices",
        "It tells its devices at once",
        "Send the first fingerprint when the stream is opened; give each group vendor, type and name, and each device "
        "an id of its own.",
        ("fingerprint",),
        device.check_devices,
        "device",
    ),
    NomadPluginRule(
        "reserve",
        "It reserves no device that it does not know",
        "Return an error from Reserve for an id that no fingerprint has told.",
        ("reserve",),
        device.check_reservation,
        "device",
    ),
    NomadPluginRule(
        "stats",
        "It tells the figures of its devices",
        "Send the first figures within the interval.",
        ("stats",),
        device.check_stats,
        "device",
    ),
    NomadPluginRule(
        "end",
        "It ends when it is asked to",
        "Serve through the plugin library, which ends by itself.",
        ("end",),
        common.check_shutdown,
    ),
)


def judge(records: NomadPluginRecords) -> tuple[RuleResult, ...]:
    """The verdict of each rule for this type of plugin, in the order of the table."""
    return tuple(rule.judge(records) for rule in RULES if rule.type in ("", records.claims["type"]))


def compute_outcome(results: tuple[RuleResult, ...]) -> Outcome:
    """What decides for all of them."""
    return get_worst_outcome(result.outcome for result in results)
