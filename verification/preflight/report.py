"""Report of a preflight run: the results in order, the files of findings, as JSON, and the exit code."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

from portal.core.content_files import load_content
from portal.core.value_types import JsonObject
from verification.checks import execution
from verification.checks.types import Subject
from verification.outcomes import Outcome, Result, get_worst_outcome

# In the order of their numbers, which scripts of partners rely on and `portal-preflight --help` lists.
EXIT_PASSED, EXIT_FINDINGS, EXIT_USAGE, EXIT_UNDECIDED = range(4)
EXIT_CODE_BY_OUTCOME = {
    Outcome.PASS: EXIT_PASSED,
    Outcome.WAIVED: EXIT_PASSED,
    Outcome.WARN: EXIT_PASSED,
    Outcome.FAIL: EXIT_FINDINGS,
}
FILE_BY_KEY_PREFIX = load_content(Path(__file__).parent / "content" / "files.yaml", dict[str, str])


@dataclass(frozen=True, slots=True)
class PreflightReport:
    """Results of one run on one subject. `version` is blank for the newest, `folder` without a checkout.

    `hints` are the keys of advisory checks: they are reported but do not affect the outcome.
    """

    subject: Subject
    results: Mapping[str, Result]
    version: str = ""
    folder: str = ""
    hints: frozenset[str] = frozenset()

    @property
    def outcome(self) -> Outcome:
        return get_worst_outcome(result.outcome for key, result in self.results.items() if key not in self.hints)

    @property
    def exit_code(self) -> int:
        """Return the exit code: 0 if nothing must be fixed, 1 for findings, 3 if undecided or without checks."""
        # Everything else is undecided, including a run without checks: no result isn't a pass.
        return EXIT_CODE_BY_OUTCOME.get(self.outcome, EXIT_UNDECIDED)

    def as_dict(self) -> JsonObject:
        return {
            "program": self.subject.program,
            "edition": self.subject.edition,
            "repository": self.subject.repository,
            "version": self.version,
            "folder": self.folder,
            "outcome": str(self.outcome),
            "exit": self.exit_code,
            "checks": [
                {**execution.serialize_result(key, result), "hint": key in self.hints}
                for key, result in self.results.items()
            ],
        }

    def list_files(self, check: JsonObject) -> list[str]:
        """Return the files of a finding: those in its evidence, otherwise the one in which it is usually fixed.

        The second one need not exist, for example a missing license.
        """
        urls = [item["url"] for item in check["evidence"]]
        # Evidence also links to other repositories, whose files can't be annotated here.
        files = [_get_file(url) for url in urls if f"/{self.subject.repository}/blob/".lower() in url.lower()]
        usual = next(file for prefix, file in FILE_BY_KEY_PREFIX.items() if check["id"].startswith(prefix))
        return list(dict.fromkeys(files)) or [usual]


def _get_file(url: str) -> str:
    """Return the path in the repository of https://HOST/OWNER/NAME/blob/COMMIT/PATH."""
    return unquote(url.partition("/blob/")[2].partition("/")[2].partition("#")[0])
