"""What do the rules find in the endpoint's answers to our requests? One function a rule."""

from verification.outcomes import Outcome
from verification.testruns.kinds.run_task.judging import (
    RuleOutcome,
    check_silence,
    choose_worst,
    report_failure,
    report_not_run,
    report_pass,
    report_warning,
)
from verification.testruns.kinds.run_task.records import Exchange, RunTaskRecords

VERIFICATION_STEPS = ("verify", "spaced", "future", "malformed")


def check_verification(records: RunTaskRecords) -> RuleOutcome:
    """200, and nothing else."""
    exchange = records.get_exchange("verify")
    silence = check_silence(exchange)
    if silence or exchange is None:
        return silence or report_not_run("")
    return check_status_200(exchange) or report_pass(f"The verification request was answered with {exchange.line}.")


def check_status_200(exchange: Exchange) -> RuleOutcome | None:
    """Why the answer does not do; None where it is 200."""
    if exchange.status == 200:
        return None
    if 300 <= exchange.status < 400:
        return report_failure(f"The answer was {exchange.status}, a redirect; it is not followed. Only 200 counts.")
    if 200 <= exchange.status < 300:
        return report_failure(
            f"The answer was {exchange.status}; the platform takes 200 only and refuses {exchange.status}."
        )
    return report_failure(f"The answer was {exchange.status}; only 200 counts, anything else is asked again.")


def check_verification_silence(records: RunTaskRecords) -> RuleOutcome:
    """Nothing calls back about a verification request."""
    if any(records.list_callbacks(each) for each in VERIFICATION_STEPS):
        return report_warning("The endpoint sent a result for a verification request, of which there is no run.")
    exchanges = [exchange for each in VERIFICATION_STEPS if (exchange := records.get_exchange(each))]
    if not any(each.status for each in exchanges):
        return report_not_run(
            "No verification request has been answered." if exchanges else "This request has not been made."
        )
    return report_pass("No result was sent for the verification requests.")


def check_refused(records: RunTaskRecords, step_key: str, description: str) -> RuleOutcome:
    """Answered with 4xx, and no result for it."""
    if not records.has_key:
        return report_not_run("No key was given, so signatures were not tried.")
    exchange = records.get_exchange(step_key)
    if exchange is None:
        return report_not_run("This request has not been made.")
    if records.list_callbacks(step_key):
        return report_failure(f"A request {description} was acted upon: a result was sent for it.")
    if 200 <= exchange.status < 300:
        return report_failure(f"A request {description} was answered with {exchange.status}.")
    if 400 <= exchange.status < 500:
        return _check_vacuous(records) or report_pass(f"A request {description} was refused with {exchange.status}.")
    silence = check_silence(exchange)
    if silence:
        return report_not_run(f"It was not shown: {silence[1]}")
    return report_warning(f"A request {description} was answered with {exchange.status}; a plain refusal is 401.")


def _check_vacuous(records: RunTaskRecords) -> RuleOutcome | None:
    """Where the plain verification request was refused as well, a refusal says nothing."""
    first = records.get_exchange("verify")
    if first is not None and 400 <= first.status < 500:
        return report_not_run(
            f"The plain verification request was refused with {first.status} too, so this was not shown."
        )
    return None


def check_unsigned_request(records: RunTaskRecords) -> RuleOutcome:
    return check_refused(records, "unsigned", "without a signature")


def check_wrong_signature(records: RunTaskRecords) -> RuleOutcome:
    return check_refused(records, "wrong", "with a wrong signature")


def check_raw_signature(records: RunTaskRecords) -> RuleOutcome:
    """The signature is computed over the bytes as they came."""
    first, exchange = records.get_exchange("verify"), records.get_exchange("spaced")
    if not records.has_key or exchange is None:
        return report_not_run("No key was given, so signatures were not tried.")
    if first is None or first.status != 200:
        return report_not_run("The plain verification request was not taken, so this was not shown.")
    if exchange.status != 200:
        return report_failure(f"The same document written with other spaces was answered with {exchange.status}.")
    if check_wrong_signature(records)[0] not in (Outcome.PASS, Outcome.WARN):
        return report_not_run("Wrong signatures were not refused, so this was not shown.")
    return report_pass("A document written with other spaces was taken by its signature.")


def check_unsigned_mode(records: RunTaskRecords) -> RuleOutcome:
    """Only where no key was given."""
    if check_verification(records)[0] == Outcome.PASS:
        return report_warning("Without a key everything is taken, whoever sends it.")
    return report_not_run("The verification request was not taken, so this was not shown.")


def check_malformed(records: RunTaskRecords) -> RuleOutcome:
    """A body that is no JSON is refused and breaks nothing."""
    exchange = records.get_exchange("malformed")
    silence = check_silence(exchange)
    if silence or exchange is None:
        return silence or report_not_run("")
    if 400 <= exchange.status < 500:
        return _check_vacuous(records) or report_pass(f"Half a document was refused with {exchange.status}.")
    if exchange.status >= 500:
        return report_failure(f"Half a document was answered with {exchange.status}: the endpoint breaks on it.")
    if exchange.status >= 300:
        return report_warning(f"Half a document was answered with {exchange.status}; a plain refusal is 400.")
    return report_warning(f"Half a document was answered with {exchange.status}, as if it had been read.")


def check_future(records: RunTaskRecords) -> RuleOutcome:
    """A stage and a field that are not known yet do not break it."""
    first, exchange = records.get_exchange("verify"), records.get_exchange("future")
    if first is None or exchange is None or first.status != 200:
        return report_not_run("The plain verification request was not taken, so this was not shown.")
    if exchange.status == 200:
        return report_pass("A request with a stage and a field that it cannot know was taken.")
    return report_warning(f"A verification request with a new stage and a new field got {exchange.line}.")


def check_run_answers(records: RunTaskRecords) -> RuleOutcome:
    """Every run is answered with 200."""
    runs = records.runs()
    outcomes = [_check_run_answer(each) for each in runs if not (each.status == 0 and each.ended == "slow")]
    return choose_worst(outcomes, report_not_run("No run has been answered yet."))


def _check_run_answer(run: Exchange) -> RuleOutcome:
    return check_silence(run) or check_status_200(run) or report_pass("Every run was answered with 200.")


def check_first_answer(records: RunTaskRecords) -> RuleOutcome:
    """Within 10 seconds, which is our own measure."""
    limits = records.limits
    exchanges = [each for each in records.exchanges if each.status or each.ended == "slow"]
    timeouts = [each for each in exchanges if not each.status]
    if timeouts:
        return report_failure(
            f"{len(timeouts)} of {len(exchanges)} requests got no answer within {limits.request_timeout_seconds:g} "
            "seconds."
        )
    slowest_seconds = max((each.head_seconds for each in exchanges), default=None)
    if slowest_seconds is None:
        return report_not_run("No request has been answered yet.")
    if slowest_seconds > limits.first_answer_seconds:
        return report_warning(
            f"The slowest answer took {slowest_seconds:.1f} seconds; our measure is {limits.first_answer_seconds:g}."
        )
    return report_pass(
        f"The slowest answer took {slowest_seconds:.1f} of {limits.first_answer_seconds:g} seconds, which is our "
        "measure."
    )


def check_body_end(records: RunTaskRecords) -> RuleOutcome:
    """The body of each answer has an end."""
    exchanges = [each for each in records.exchanges if each.status]
    incomplete_exchanges = [each for each in exchanges if each.ended != "whole"]
    if not exchanges:
        return report_not_run("No request has been answered yet.")
    if incomplete_exchanges:
        return report_failure(
            f"{len(incomplete_exchanges)} of {len(exchanges)} answers had no proper end. "
            f"{incomplete_exchanges[0].sentence}"
        )
    return report_pass("Every answer had an end.")
