"""How is a rehearsal played? Make each request, let results come to the desk, and know when nothing more is waited for.

The portal plays it in pieces, with the desk in its database; the command line in one go, with the desk in memory.
"""

import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Protocol

from verification.sources.http.client import Outbound
from verification.testruns.kinds.run_task import callback_service
from verification.testruns.kinds.run_task.http import Reply, post
from verification.testruns.kinds.run_task.protocol import FAILING, PASSING, TEST_TOKEN, Places, Run, Scenario
from verification.testruns.kinds.run_task.records import Exchange, Knock, Limits, Seen, struck
from verification.testruns.kinds.run_task.scenario import Act, request_of, script

POLL = 0.05


@dataclass(frozen=True, slots=True)
class Target:
    """What is rehearsed: the endpoint, its key (blank: unsigned), the stages, and what the two scenarios look like.

    `rehearsal` and `begun`, what tells it from others and when its runs were made, stay the same in all its pieces.
    """

    url: str
    key: str
    stages: tuple[str, ...]
    scenarios: Mapping[str, Scenario] = field(default_factory=lambda: {"passing": PASSING, "failing": FAILING})
    limits: Limits = field(default_factory=Limits)
    rehearsal: str = field(default_factory=lambda: secrets.token_hex(8))
    begun: datetime = field(default_factory=lambda: datetime.now(UTC))

    def script(self) -> tuple[Act, ...]:
        return script(self.stages, has_key=bool(self.key))

    def scenario_of(self, act: Act) -> Scenario:
        return self.scenarios[act.scenario or "passing"]

    def run_of(self, act: Act) -> Run:
        return Run(self.rehearsal, act.run, self.scenario_of(act), self.begun)


class Desk(Protocol):
    """Where results come in."""

    def open(self, act: Act, token_hash: str, result_id: str) -> Places:
        """Be ready for the results of an act, from now on."""

    def knocks(self) -> tuple[Knock, ...]:
        """Everything that has come so far, in its order."""


def perform(act: Act, target: Target, places: Places, token: str, result_id: str, web: Outbound) -> Exchange:
    """Make one request. What the endpoint does is in the exchange; nothing is raised."""
    headers, body = request_of(act, target.run_of(act), places, token, result_id, target.key)
    reply = post(web, target.url, body, headers, seconds=target.limits.give_up)
    return _noted(act, target, headers, body, reply, [token, target.key])


def _noted(
    act: Act, target: Target, headers: Mapping[str, str], body: bytes, reply: Reply, private: list[str]
) -> Exchange:
    hidden = [each for each in private if each and each != TEST_TOKEN]
    answered = reply.body.decode("utf-8", "replace")
    return Exchange(
        act=act.key,
        title=act.title,
        stage=act.stage,
        scenario=act.scenario,
        url=target.url,
        sent_headers=tuple(headers.items()),
        sent_body=struck(body.decode(), hidden),
        status=reply.status,
        reason=struck(reply.reason, hidden),
        headers=tuple((name, struck(value, hidden)) for name, value in reply.headers),
        body=struck(answered, hidden),
        head_seconds=round(reply.head_seconds, 3),
        seconds=round(reply.seconds, 3),
        ended=reply.ended,
        sentence=reply.sentence,
        level=act.level if act.is_run else "",
    )


def new_result_id() -> str:
    """An id for one task result, as the platform's look."""
    return f"taskrs-{secrets.token_hex(8)}"


def is_hopeless(exchange: Exchange) -> bool:
    """Whether there is no use in further requests: nobody is there, or we may not go there."""
    return exchange.ended in ("unreachable", "unresolved", "refused")


def waits_for(seen: Seen, ages: Mapping[str, float]) -> list[str]:
    """The runs whose result is still to come. `ages`: seconds since each was sent."""
    return [each.act for each in seen.runs() if _is_awaited(seen, each, ages[each.act])]


def _is_awaited(seen: Seen, run: Exchange, age: float) -> bool:
    limits, knocks = seen.limits, seen.knocks_of(run.act)
    taken = [each.after for each in knocks if each.answered == 200]
    refused = [each.after for each in knocks if each.answered != 200]
    if seen.result_of(run.act) is not None or age > limits.end:
        return False
    if run.status != 200 and run.ended != "slow" and not taken:
        return age < limits.settle  # the platform would ask again; a result is not to be expected
    if refused and not taken:
        return age - max(refused) < limits.mend
    return age - max(taken, default=0) < limits.silence


def play(target: Target, place: Desk, web: Outbound, tell: Callable[[Seen], None] = lambda seen: None) -> Seen:
    """A whole rehearsal in one go. `tell` is given what was seen so far, after each request and each result."""
    exchanges: list[Exchange] = []
    begun: dict[str, float] = {}

    def seen(over: bool = False) -> Seen:
        return Seen(tuple(exchanges), place.knocks(), bool(target.key), over, target.limits)

    for act in target.script():
        token, result_id = callback_service.new_token(), new_result_id()
        places = place.open(act, callback_service.hash_of(token), result_id)
        begun[act.key] = time.monotonic()
        exchanges.append(perform(act, target, places, token, result_id, web))
        tell(seen())
        if is_hopeless(exchanges[-1]):
            return seen(over=True)
    _wait(lambda: bool(waits_for(seen(), {key: time.monotonic() - at for key, at in begun.items()})))
    settled = time.monotonic() + target.limits.settle
    _wait(lambda: time.monotonic() < settled)
    return seen(over=True)


def _wait(while_: Callable[[], bool]) -> None:
    while while_():
        time.sleep(POLL)
