"""Which rules does a run task keep? The table, and the verdict of each on what was seen."""

from verification.outcomes import Outcome, get_worst_outcome
from verification.testruns.kinds.run_task import response_rules, result_rules
from verification.testruns.kinds.run_task.judging import RuleResult, RunTaskRule
from verification.testruns.kinds.run_task.records import RunTaskRecords

RULES_VERSION = 1
RULES = (
    RunTaskRule(
        "verification",
        "The verification request is answered with 200",
        "Answer a request whose access token is “test-token” with 200 and an empty body, before any work.",
        response_rules.check_verification,
    ),
    RunTaskRule(
        "verification.quiet",
        "A verification request gets no result",
        "Stop after the 200 where the access token is “test-token”: there is no run to report on.",
        response_rules.check_verification_silence,
    ),
    RunTaskRule(
        "signature.unsigned",
        "A request without a signature is refused",
        "Answer 401 where X-TFC-Task-Signature is missing or blank and your run task has a key.",
        response_rules.check_unsigned_request,
    ),
    RunTaskRule(
        "signature.wrong",
        "A request with a wrong signature is refused",
        "Compare the header with the HMAC-SHA512 of the body, in constant time, and answer 401 where they differ.",
        response_rules.check_wrong_signature,
    ),
    RunTaskRule(
        "signature.raw",
        "The signature is that of the bytes as they came",
        "Compute the HMAC over the raw body, before it is parsed; a document written anew has other bytes.",
        response_rules.check_raw_signature,
    ),
    RunTaskRule(
        "malformed",
        "A body that is no JSON is refused",
        "Answer 400 where the body cannot be read.",
        response_rules.check_malformed,
    ),
    RunTaskRule(
        "future",
        "New stages and fields break nothing",
        "Ignore fields that you do not know, and answer the verification whatever the stage.",
        response_rules.check_future,
    ),
    RunTaskRule(
        "answer",
        "Every run is answered with 200",
        "Answer 200 as soon as the request is accepted, at the very address that was registered.",
        response_rules.check_run_answers,
    ),
    RunTaskRule(
        "first_answer",
        "The first answer comes in time",
        "Answer first and work afterwards. The 10 seconds are our own measure: no document names a limit.",
        response_rules.check_first_answer,
    ),
    RunTaskRule(
        "body",
        "The answer has an end",
        "Answer with an empty body, or with its Content-Length.",
        response_rules.check_body_end,
    ),
    RunTaskRule(
        "token",
        "A result carries its run's own token",
        "Send “Authorization: Bearer” with the access_token of the same request; keep them together.",
        result_rules.check_token,
    ),
    RunTaskRule(
        "form",
        "A result is a JSON:API document sent with PATCH",
        "Send {“data”: {“type”: “task-results”, “attributes”: {“status”: …}}} as application/vnd.api+json.",
        result_rules.check_form,
    ),
    RunTaskRule(
        "limits",
        "Texts keep within their limits",
        "At most 1,000 characters of message, 500 of an address, 5 MB of an outcome's body.",
        result_rules.check_limits,
    ),
    RunTaskRule(
        "outcomes",
        "Outcomes and tags can be read",
        "At most 10 outcomes, each with outcome-id and description; tags are lists of {label, level}, the level being "
        "none, info, warning or error.",
        result_rules.check_outcomes,
        result_rules.collect_notes,
    ),
    RunTaskRule(
        "end",
        "Every run gets a final result",
        "Send passed or failed within 60 minutes, also where your own work breaks.",
        result_rules.check_final_result,
    ),
    RunTaskRule(
        "progress",
        "There is a sign of life every 10 minutes",
        "Send “running” while you work, well within every 10 minutes.",
        result_rules.check_progress,
    ),
    RunTaskRule(
        "once",
        "There is one final result",
        "Send passed or failed once; take a 200 as the end of it.",
        result_rules.check_single_result,
    ),
    RunTaskRule(
        "scenario.passing",
        "The run that is to pass passes",
        "Say how your service tells the passing run, or look at why it stopped it.",
        result_rules.build_scenario_check("passing", "passed"),
    ),
    RunTaskRule(
        "scenario.failing",
        "The run that is to fail is stopped",
        "Say how your service tells the failing run: its workspace, its message or its plan.",
        result_rules.build_scenario_check("failing", "failed"),
    ),
)
UNSIGNED_RULE = RunTaskRule(
    "unsigned", "Requests are signed",
    "Give the run task a key, and refuse what is not signed with it: anyone can call a public address.",
    response_rules.check_unsigned_mode,
)  # fmt: skip
SIGNATURE_RULES = ("signature.unsigned", "signature.wrong", "signature.raw")


def judge(records: RunTaskRecords) -> tuple[RuleResult, ...]:
    """The verdict of each rule, in the table's order. Without a key one rule says what that means."""
    if records.has_key:
        return tuple(rule.judge(records) for rule in RULES)
    return (UNSIGNED_RULE.judge(records), *(rule.judge(records) for rule in RULES if rule.key not in SIGNATURE_RULES))


def compute_outcome(results: tuple[RuleResult, ...]) -> Outcome:
    """What decides for all. Outcomes are optional, so that their absence decides nothing."""
    return get_worst_outcome(
        result.outcome for result in results if not (result.rule == "outcomes" and result.outcome == Outcome.NOT_RUN)
    )
