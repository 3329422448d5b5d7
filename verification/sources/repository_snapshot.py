"""Snapshot of a repository's code at one commit: paths, go.mod and workflows. Nothing is built or run.

What is read here are hints: conventions that most projects keep and none must. Plain Python.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

REQUIREMENT_PATTERN = re.compile(
    r"^\s*(?:require\s+)?(?P<module>[\w.~/-]+\.[\w.~/-]+)\s+v(?P<version>[\w.+-]+)(?P<rest>.*)$"
)
DIRECTIVE_PATTERN = re.compile(r"^(?P<word>module|go|toolchain)\s+(?P<value>\S+)")
CRON_PATTERN = re.compile(
    r"""[ \t]*-?[ \t]*["']?cron["']?[ \t]*:[ \t]*["']?(?P<when>[\d*][\d*/,\-A-Za-z \t]{7,100})(?:["'#].*)?$"""
)
TEST_COMMAND_PATTERN = re.compile(r"\bgo\s+test\b|\btestacc\b|\bmake\s+\S*test|\bTF_ACC\b")
RESOURCE_FILE_PATTERN = re.compile(r"(?:^|/)(?:resource_(?P<before>[a-z0-9_]+)|(?P<after>[a-z0-9_]+)_resource)\.go$")
# Not after a quotation mark, because the name can be part of a string there.
ABRUPT_CALL_PATTERN = re.compile(r"[^\"`]*?(?<![\w.])(?P<call>panic|os\.Exit|log\.Fatal(?:f|ln)?)\(")
MAX_LINE_CHARACTERS = 500  # longer lines are generated
FOREIGN_FOLDERS = frozenset({"vendor", "node_modules", "testdata"})

FRAMEWORK_MODULE = "github.com/hashicorp/terraform-plugin-framework"
SDK_MODULE = "github.com/hashicorp/terraform-plugin-sdk/v2"
LOW_LEVEL_MODULE = "github.com/hashicorp/terraform-plugin-go"
OLD_SDK_MODULES = ("github.com/hashicorp/terraform-plugin-sdk", "github.com/hashicorp/terraform")
TESTING_MODULE = "github.com/hashicorp/terraform-plugin-testing"
# Of HashiCorp's and Go's own modules, and of those that any program uses.
LIBRARY_PREFIXES = (
    "github.com/hashicorp/",
    "golang.org/",
    "google.golang.org/",
    "gopkg.in/",
    "go.uber.org/",
    "github.com/stretchr/",
)
PLUGIN_LIBRARIES = (FRAMEWORK_MODULE, SDK_MODULE, *OLD_SDK_MODULES)
MAX_FILE_BYTES = 512 * 1024  # larger files are not read


@dataclass(frozen=True, slots=True)
class RepositoryFile:
    """File of a commit. `size` is in bytes. `sha` is the blob's object ID, blank if unknown."""

    path: str
    size: int = 0
    sha: str = ""


@dataclass(frozen=True)
class RepositorySnapshot:
    """Files of one commit, not all if `is_truncated`. `open` returns the text of a file and raises SourceError."""

    repository: str
    commit: str
    files: tuple[RepositoryFile, ...]
    is_truncated: bool = False
    open: Callable[[RepositoryFile], str] = field(default=lambda file: "", compare=False)

    @cached_property
    def files_by_path(self) -> Mapping[str, RepositoryFile]:
        return {file.path: file for file in self.files}

    def read_text(self, path: str) -> str | None:
        """Return the text of a file, or None without such a file."""
        file = self.files_by_path.get(path)
        return None if file is None else self.open(file)

    def list_go_files(self) -> tuple[RepositoryFile, ...]:
        """Return the Go files, without tests, test data, and vendored code."""
        own_files = (file for file in self.files if file.path.endswith(".go") and not file.path.endswith("_test.go"))
        return tuple(file for file in own_files if FOREIGN_FOLDERS.isdisjoint(file.path.split("/")))

    def list_test_files(self) -> tuple[RepositoryFile, ...]:
        own_files = (file for file in self.files if not file.path.startswith("vendor/"))
        return tuple(file for file in own_files if file.path.endswith("_test.go"))

    def list_workflow_files(self) -> tuple[RepositoryFile, ...]:
        files = (file for file in self.files if file.path.startswith(".github/workflows/"))
        return tuple(file for file in files if file.path.endswith((".yml", ".yaml")))


@dataclass(frozen=True, slots=True)
class GoModule:
    """Content of a go.mod file. `requires` maps each direct dependency to its version, without the "v"."""

    path: str = ""
    go: str = ""
    requires: Mapping[str, str] = field(default_factory=dict)


def parse_go_mod(text: str) -> GoModule:
    """Parse a go.mod file. Invalid lines are skipped."""
    directives: dict[str, str] = {}
    requires: dict[str, str] = {}
    block = ""
    for line in _split_lines(text):
        if directive := DIRECTIVE_PATTERN.match(line):
            directives.setdefault(directive["word"], directive["value"].strip('"'))
            continue
        block = _find_block(line, block)
        requirement = REQUIREMENT_PATTERN.match(line) if _is_required(line, block) else None
        # Indirect requirements are those of other modules and say nothing about this code.
        if requirement and "// indirect" not in requirement["rest"]:
            requires[requirement["module"]] = requirement["version"]
    return GoModule(directives.get("module", ""), directives.get("go", ""), requires)


def _find_block(line: str, block: str) -> str:
    """Return the block that contains the next lines, blank outside of one."""
    if match := re.match(r"^(\w+)\s*\(", line):
        return match[1]
    return "" if line.strip() == ")" else block


def _is_required(line: str, block: str) -> bool:
    return block == "require" or (block == "" and line.startswith("require "))


def _split_lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if len(line) <= MAX_LINE_CHARACTERS]


def list_cron_schedules(workflow: str) -> tuple[str, ...]:
    """Return the cron schedules of a workflow, each with five fields."""
    matches = map(CRON_PATTERN.match, _split_lines(workflow))
    schedules = (" ".join(match["when"].split()) for match in matches if match)
    # GitHub accepts exactly five fields. Anything else isn't a schedule.
    return tuple(schedule for schedule in schedules if len(schedule.split()) == 5)


def is_nightly(cron: str) -> bool:
    """Return whether the schedule runs at least once on every workday."""
    _, _, day, month, weekday = cron.split()
    wildcards = {"*", "*/1"}
    workday_ranges = {"1-5", "mon-fri", "0-4", "0-6", "1-6", "1-7", "sun-sat", "1,2,3,4,5"}
    return day in wildcards and month in wildcards and (weekday in wildcards or weekday.lower() in workday_ranges)


def has_test_command(workflow: str) -> bool:
    return TEST_COMMAND_PATTERN.search(workflow) is not None


def collect_resource_files(code: RepositorySnapshot) -> Mapping[str, RepositoryFile]:
    """Return the files by resource name, for files called resource_NAME.go or NAME_resource.go."""
    files_by_name: dict[str, RepositoryFile] = {}
    for file in code.list_go_files():
        if match := RESOURCE_FILE_PATTERN.search(file.path):
            # Two files of one resource, in different folders, count once.
            files_by_name.setdefault(match["before"] or match["after"], file)
    return files_by_name


def get_test_path(file: RepositoryFile) -> str:
    """Return the conventional path of the test of a Go file."""
    return f"{file.path.removesuffix('.go')}_test.go"


def find_abrupt_calls(text: str) -> tuple[str, ...]:
    """Return calls that end the process instead of returning an error, such as "panic at line 12"."""
    lines = enumerate(_strip_comments(text).split("\n"), 1)  # the only line end that Go and GitHub count
    matches = ((number, ABRUPT_CALL_PATTERN.match(line)) for number, line in lines if len(line) <= MAX_LINE_CHARACTERS)
    return tuple(f"{match['call']} at line {number}" for number, match in matches if match)


def _strip_comments(text: str) -> str:
    """Remove the comments and keep the line numbers."""
    parts = []
    position = 0
    while (comment_start := text.find("/*", position)) >= 0 and (
        comment_end := text.find("*/", comment_start + 2)
    ) >= 0:
        parts += [text[position:comment_start], "\n" * text.count("\n", comment_start, comment_end)]
        position = comment_end + 2
    code = "".join((*parts, text[position:]))
    return "\n".join(line.partition("//")[0] for line in code.split("\n"))


def list_client_candidates(module: GoModule) -> tuple[str, ...]:
    """Return the modules, except HashiCorp's and Go's own, that could be the client library of the platform."""
    return tuple(path for path in module.requires if not path.startswith(LIBRARY_PREFIXES))
