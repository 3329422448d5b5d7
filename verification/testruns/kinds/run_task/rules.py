"""Which rules does a run task keep? The table, and the verdict of each on what was seen."""

from verification.outcomes import Outcome, worst
from verification.testruns.kinds.run_task import response_rules, result_rules
from verification.testruns.kinds.run_task.judging import Rule, Verdict
from verification.testruns.kinds.run_task.records import Seen

VERSION = 1
RULES = (
    Rule(
        "verification",
        "The verification request is answered with 200",
        "Answer a request whose access token is “test-token” with 200 and an empty body, before any work.",
        response_rules.verification,
    ),
    Rule(
        "verification.quiet",
        "A verification request gets no result",
        "Stop after the 200 where the access token is “test-token”: there is no run to report on.",
        response_rules.quiet,
    ),
    Rule(
        "signature.unsigned",
        "A request without a signature is refused",
        "Answer 401 where X-TFC-Task-Signature is missing or blank and your run task has a key.",
        response_rules.unsigned,
    ),
    Rule(
        "signature.wrong",
        "A request with a wrong signature is refused",
        "Compare the header with the HMAC-SHA512 of the body, in constant time, and answer 401 where they differ.",
        response_rules.wrong,
    ),
    Rule(
        "signature.raw",
        "The signature is that of the bytes as they came",
        "Compute the HMAC over the raw body, before it is parsed; a document written anew has other bytes.",
        response_rules.raw,
    ),
    Rule(
        "malformed",
        "A body that is no JSON is refused",
        "Answer 400 where the body cannot be read.",
        response_rules.malformed,
    ),
    Rule(
        "future",
        "New stages and fields break nothing",
        "Ignore fields that you do not know, and answer the verification whatever the stage.",
        response_rules.future,
    ),
    Rule(
        "answer",
        "Every run is answered with 200",
        "Answer 200 as soon as the request is accepted, at the very address that was registered.",
        response_rules.answered,
    ),
    Rule(
        "first_answer",
        "The first answer comes in time",
        "Answer first and work afterwards. The 10 seconds are our own measure: no document names a limit.",
        response_rules.first_answer,
    ),
    Rule(
        "body", "The answer has an end", "Answer with an empty body, or with its Content-Length.", response_rules.ends
    ),
    Rule(
        "token",
        "A result carries its run's own token",
        "Send “Authorization: Bearer” with the access_token of the same request; keep them together.",
        result_rules.token,
    ),
    Rule(
        "form",
        "A result is a JSON:API document sent with PATCH",
        "Send {“data”: {“type”: “task-results”, “attributes”: {“status”: …}}} as application/vnd.api+json.",
        result_rules.form,
    ),
    Rule(
        "limits",
        "Texts keep within their limits",
        "At most 1,000 characters of message, 500 of an address, 5 MB of an outcome's body.",
        result_rules.within_limits,
    ),
    Rule(
        "outcomes",
        "Outcomes and tags can be read",
        "At most 10 outcomes, each with outcome-id and description; tags are lists of {label, level}, the level being "
        "none, info, warning or error.",
        result_rules.outcomes,
        result_rules.notes,
    ),
    Rule(
        "end",
        "Every run gets a final result",
        "Send passed or failed within 60 minutes, also where your own work breaks.",
        result_rules.end,
    ),
    Rule(
        "progress",
        "There is a sign of life every 10 minutes",
        "Send “running” while you work, well within every 10 minutes.",
        result_rules.progress,
    ),
    Rule(
        "once",
        "There is one final result",
        "Send passed or failed once; take a 200 as the end of it.",
        result_rules.once,
    ),
    Rule(
        "scenario.passing",
        "The run that is to pass passes",
        "Say how your service tells the passing run, or look at why it stopped it.",
        result_rules.scenario("passing", "passed"),
    ),
    Rule(
        "scenario.failing",
        "The run that is to fail is stopped",
        "Say how your service tells the failing run: its workspace, its message or its plan.",
        result_rules.scenario("failing", "failed"),
    ),
)
UNSIGNED = Rule(
    "unsigned", "Requests are signed",
    "Give the run task a key, and refuse what is not signed with it: anyone can call a public address.",
    response_rules.unsigned_mode,
)  # fmt: skip
SIGNATURES = ("signature.unsigned", "signature.wrong", "signature.raw")


def judge(seen: Seen) -> tuple[Verdict, ...]:
    """The verdict of each rule, in the table's order. Without a key one rule says what that means."""
    if seen.has_key:
        return tuple(rule.judge(seen) for rule in RULES)
    return (UNSIGNED.judge(seen), *(rule.judge(seen) for rule in RULES if rule.key not in SIGNATURES))


def outcome_of(verdicts: tuple[Verdict, ...]) -> Outcome:
    """What decides for all. Outcomes are optional, so that their absence decides nothing."""
    return worst(each.outcome for each in verdicts if not (each.rule == "outcomes" and each.outcome == Outcome.NOT_RUN))
