"""Rules for Nomad plugins and their shared parts."""

from collections.abc import Callable
from dataclasses import dataclass

from verification.outcomes import Outcome
from verification.testruns.kinds.nomad_plugin.records import NomadPluginRecords, PluginCall
from verification.testruns.rule_results import RuleOutcome, RuleResult, report_failure, report_not_run


@dataclass(frozen=True, slots=True)
class NomadPluginRule:
    """A rule with the calls that it needs and its check function.

    `type`: the only plugin type that the rule applies to, blank for all types.
    """

    key: str
    title: str
    advice: str
    acts: tuple[str, ...]
    evaluate: Callable[[NomadPluginRecords], RuleOutcome]
    type: str = ""

    def judge(self, records: NomadPluginRecords) -> RuleResult:
        if records.unavailable:
            return RuleResult(self.key, self.title, Outcome.NOT_RUN, records.unavailable)
        outcome, sentence = _explain_missing_call(self, records) or self.evaluate(records)
        advice = self.advice if outcome in (Outcome.WARN, Outcome.FAIL) else ""
        return RuleResult(self.key, self.title, outcome, sentence, advice)


def _explain_missing_call(rule: NomadPluginRule, records: NomadPluginRecords) -> RuleOutcome | None:
    """Return the result for a rule whose calls are missing, None if all are recorded."""
    if all(records.get_call(call_name) is not None for call_name in rule.acts):
        return None
    if records.broken:
        return Outcome.ERROR, f"We couldn't run this rule: {records.broken}"
    if not records.over:
        return report_not_run("Not reached yet.")
    handshake = records.get_call("handshake")
    return report_not_run(
        "Not reached: the handshake failed." if handshake and not handshake.is_answered else "Not reached."
    )


def require_call(records: NomadPluginRecords, call_name: str) -> PluginCall:
    """Return the call that the rule needs."""
    call = records.get_call(call_name)
    assert call is not None
    return call


def check_answered(call: PluginCall) -> RuleOutcome | None:
    """Return the result for a call without a response, None if there is a response."""
    if call.is_answered:
        return None
    if call.came == "UNIMPLEMENTED":
        return report_failure(f"The plugin doesn't implement {call.title}.")
    return report_failure(call.sentence)
