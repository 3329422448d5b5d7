"""Which rules does a Nomad plugin keep? The table, and the verdict of each on what was seen."""

from verification.outcomes import Outcome, worst
from verification.testruns.kinds.nomad_plugin.judging import Rule
from verification.testruns.kinds.nomad_plugin.records import Seen
from verification.testruns.kinds.nomad_plugin.rules import common, device, task_driver
from verification.testruns.kinds.run_task.judging import Verdict

VERSION = 1
RULES = (
    Rule("direct", "Started directly, it says that it is a plugin",
         "Serve through the plugin library, which prints a notice and ends where Nomad's cookie is missing.",
         ("direct",), common.direct),
    Rule("handshake", "It answers Nomad's handshake",
         "Print nothing before the handshake, speak gRPC, and serve through the plugin library.",
         ("handshake",), common.handshake),
    Rule("info.type", "It is of the type that it is submitted as", "Return the right type from PluginInfo.",
         ("info",), common.of_the_type),
    Rule("info.name", "It has a name, and the one that is known", "Return the plugin's name from PluginInfo.",
         ("info",), common.named),
    Rule("info.api", "It speaks an API version of Nomad",
         "Name the API version of the library that it is built with.", ("info",), common.of_an_api),
    Rule("info.version", "It tells the version of its release",
         "Set the plugin's version from the release's tag.", ("info",), common.of_the_version),
    Rule("schema", "The schema of its configuration is well formed",
         "Mend the specification that ConfigSchema returns.", ("schema",), common.schema),
    Rule("config", "It takes a good configuration", "Look at the error, and at the configuration that was supplied.",
         ("schema",), common.configured),
    Rule("garbage", "It refuses what cannot be read, and goes on",
         "Return an error from SetConfig where its bytes cannot be decoded.", ("garbage", "alive"), common.refused),
    Rule("task_schema", "The schema of its tasks is well formed",
         "Mend the specification that TaskConfigSchema returns.", ("task_schema",), task_driver.task_schema, "driver"),
    Rule("capabilities", "It tells what it can", "Return its capabilities.", ("capabilities",), task_driver.capable,
         "driver"),
    Rule("fingerprint", "It tells at once how it is",
         "Send the first fingerprint when the stream is opened, not after the first interval.", ("fingerprint",),
         task_driver.fingerprint, "driver"),
    Rule("devices", "It tells its devices at once",
         "Send the first fingerprint when the stream is opened; give each group vendor, type and name, and each device "
         "an id of its own.", ("fingerprint",), device.fingerprint, "device"),
    Rule("reserve", "It reserves no device that it does not know",
         "Return an error from Reserve for an id that no fingerprint has told.", ("reserve",), device.reserve,
         "device"),
    Rule("stats", "It tells the figures of its devices", "Send the first figures within the interval.", ("stats",),
         device.stats, "device"),
    Rule("end", "It ends when it is asked to", "Serve through the plugin library, which ends by itself.", ("end",),
         common.ended),
)  # fmt: skip


def judge(seen: Seen) -> tuple[Verdict, ...]:
    """The verdict of each rule for this type of plugin, in the order of the table."""
    return tuple(rule.judge(seen) for rule in RULES if rule.type in ("", seen.claims["type"]))


def outcome_of(verdicts: tuple[Verdict, ...]) -> Outcome:
    """What decides for all of them."""
    return worst(verdict.outcome for verdict in verdicts)
