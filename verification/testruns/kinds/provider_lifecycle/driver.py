"""How is a lifecycle played? Step after step in a place, everything noted without secrets, and nothing left behind."""

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace

from verification.sandbox.types import PROJECT, CommandResult, ExitReason, SandboxUnavailable
from verification.testruns.kinds.provider_lifecycle import plan_parsing, scenario
from verification.testruns.kinds.provider_lifecycle.config import Given
from verification.testruns.kinds.provider_lifecycle.records import Ran, Seen, short
from verification.testruns.kinds.provider_lifecycle.redaction import Secrets
from verification.testruns.kinds.provider_lifecycle.scenario import Step
from verification.testruns.kinds.provider_lifecycle.workspace import (
    INCOMPLETE,
    Place,
    environment,
    incomplete,
    provider_in,
)

STATE = "terraform.tfstate"
COLOURS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|[\x00-\x08\x0b-\x1f\x7f]")
Tell = Callable[[Seen], None]


def beginning(given: Given) -> Seen:
    """What is known before anything is seen."""
    has_refused = bool(given.refused or incomplete(given.base))
    return Seen(
        has_refused=has_refused, has_partial=bool(given.partial), has_secrets=bool(given.environment),
        source=given.source,
    )  # fmt: skip


@dataclass
class Play:
    """One rehearsal under way."""

    given: Given
    place: Place
    work: str = PROJECT
    tell: Tell = lambda seen: None
    seen: Seen = field(init=False)
    kept: bytes = b""

    def __post_init__(self) -> None:
        self.secrets = Secrets(self.given.environment)
        self.seen = beginning(self.given)

    def play(self, only: Collection[str] = ()) -> Seen:
        """Play it, or those of its steps alone. What was made is destroyed in any case. `tell` hears of each step."""
        try:
            self._steps(only)
            self._clean_up()
        except SandboxUnavailable as lost:
            self.seen = replace(self.seen, broken=str(lost))
        self.seen = replace(self.seen, over=True)
        return self.seen

    def _steps(self, only: Collection[str]) -> None:
        for step in scenario.script(refused=self.seen.has_refused, partial=self.seen.has_partial):
            if (not only or step.key in only) and self._is_reached(step):
                self._take(step)

    def _is_reached(self, step: Step) -> bool:
        before = self.seen.of(step.needs)
        if step.state == "none" and self._left():
            return False  # else nobody would know any more what is to be destroyed
        return not step.needs or (before is not None and (before.is_good or step.key in scenario.EVEN_AFTER))

    def _take(self, step: Step) -> None:
        self._lay_out(step)
        if step.words:
            argv = [self.place.locate("terraform"), *step.argv()]
        else:
            argv = [self.place.locate(provider_in(self.given))]
        env = environment(self.given, self.work) if step.words else {}
        ran = self._build_record(step, self.place.run(argv, env=env, seconds=step.seconds))
        ran = self._with_plan(step, ran)
        if step.asks:
            ran = self._with_state(ran)
        self.seen = self.seen.with_ran(ran)
        self.tell(self.seen)

    def _lay_out(self, step: Step) -> None:
        """Write the configuration and the state that the step begins with."""
        if step.key == "destroy":
            self.kept = self._read(STATE)
        if step.state:
            self.place.write(STATE, self.kept if step.state == "kept" else scenario.EMPTY_STATE)
        texts = {"base": self.given.base, "changed": self.given.changed, "partial": self.given.partial}
        if step.config == "refused" and not self.given.refused:
            self.place.write(INCOMPLETE, incomplete(self.given.base).encode())
        elif step.config == "refused":
            self.place.write("main.tf", self.given.refused.encode())
        elif step.config:
            self.place.write(INCOMPLETE, b"")
            self.place.write("main.tf", texts[step.config].encode())

    def _build_record(self, step: Step, result: CommandResult) -> Ran:
        if result.reason == ExitReason.LOST:
            raise SandboxUnavailable(result.message)
        out, err = _text(result.stdout), _text(result.stderr)
        named = f"terraform {' '.join(step.argv())}" if step.words else provider_in(self.given).rpartition("/")[2]
        return Ran(
            step.key, step.title, named, str(result.reason), result.exit_code, result.message,
            short(self.secrets.struck(out)), short(self.secrets.struck(err)), round(result.seconds, 2),
            shown=self.secrets.seen_in(f"{out}\n{err}"),
        )  # fmt: skip

    def _with_plan(self, step: Step, ran: Ran) -> Ran:
        """With what the plan says: always where it decides, else where there is something in it."""
        if not step.plan or not (ran.code == 2 or (ran.code == 0 and step.key in scenario.SHOWN_ALWAYS)):
            return ran
        argv = [self.place.locate("terraform"), "show", "-json", step.plan]
        result = self.place.run(argv, env=environment(self.given, self.work))
        text = result.stdout.decode("utf-8", "replace") if result.is_success else ""
        unmarked = plan_parsing.unmarked(text, self.secrets) if text else ()
        unmarked = tuple(map(self.secrets.struck, unmarked))
        return replace(ran, plan=plan_parsing.reduced(text, self.secrets), unmarked=unmarked)

    def _with_state(self, ran: Ran) -> Ran:
        try:
            every, tainted = plan_parsing.held(self._read(STATE).decode("utf-8", "replace"))
        except ValueError:
            return ran
        struck = self.secrets.struck  # keys of for_each stand in addresses
        return replace(ran, state=tuple(map(struck, every)), tainted=tuple(map(struck, tainted)))

    def _read(self, name: str) -> bytes:
        try:
            return self.place.read(name)
        except OSError:
            return b""

    def _left(self) -> tuple[str, ...]:
        """What the state held last. What was destroyed a second time does not count: it was gone before."""
        states = [ran.state for ran in self.seen.ran if ran.state is not None and ran.act != "gone_destroy"]
        return states[-1] if states else ()

    def _clean_up(self) -> None:
        """Destroy what is left."""
        if self._left():
            self._take(scenario.CLEANUP)


def _text(raw: bytes) -> str:
    return COLOURS.sub("", raw.decode("utf-8", "replace").replace("\r\n", "\n"))
