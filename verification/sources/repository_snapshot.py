"""What does a repository's code show from outside? Paths, go.mod and workflows of one commit; nothing is built or run.

What is read here are hints: conventions that most projects keep and none must. Plain Python.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

REQUIRED = re.compile(r"^\s*(?:require\s+)?(?P<module>[\w.~/-]+\.[\w.~/-]+)\s+v(?P<version>[\w.+-]+)(?P<rest>.*)$")
DIRECTIVE = re.compile(r"^(?P<word>module|go|toolchain)\s+(?P<value>\S+)")
CRON = re.compile(
    r"""[ \t]*-?[ \t]*["']?cron["']?[ \t]*:[ \t]*["']?(?P<when>[\d*][\d*/,\-A-Za-z \t]{7,100})(?:["'#].*)?$"""
)
TEST_RUN = re.compile(r"\bgo\s+test\b|\btestacc\b|\bmake\s+\S*test|\bTF_ACC\b")
RESOURCE_FILE = re.compile(r"(?:^|/)(?:resource_(?P<before>[a-z0-9_]+)|(?P<after>[a-z0-9_]+)_resource)\.go$")
ABRUPT = re.compile(r"[^\"`]*?(?<![\w.])(?P<call>panic|os\.Exit|log\.Fatal(?:f|ln)?)\(")
LONGEST_LINE = 500  # characters; what is longer was written by no person

FRAMEWORK = "github.com/hashicorp/terraform-plugin-framework"
SDK = "github.com/hashicorp/terraform-plugin-sdk/v2"
OLD_SDK = ("github.com/hashicorp/terraform-plugin-sdk", "github.com/hashicorp/terraform")
TESTING = "github.com/hashicorp/terraform-plugin-testing"
OF_HASHICORP = "github.com/hashicorp/"
KITS = (FRAMEWORK, SDK, *OLD_SDK)
LARGEST = 512 * 1024  # bytes of a file that is opened


@dataclass(frozen=True, slots=True)
class File:
    """A file of a commit. `size` in bytes; `sha` names its content in git, blank where it is not known."""

    path: str
    size: int = 0
    sha: str = ""


@dataclass(frozen=True)
class Code:
    """The files of one commit. `cut`: the list is not whole. `open` reads one file as text and raises Unreadable."""

    repository: str
    commit: str
    files: tuple[File, ...]
    cut: bool = False
    open: Callable[[File], str] = field(default=lambda file: "", compare=False)

    @cached_property
    def by_path(self) -> Mapping[str, File]:
        return {file.path: file for file in self.files}

    def text(self, path: str) -> str | None:
        """The file's text, None where there is no such file."""
        file = self.by_path.get(path)
        return None if file is None else self.open(file)

    def go_files(self) -> tuple[File, ...]:
        """Go files of its own, tests apart."""
        mine = (f for f in self.files if f.path.endswith(".go") and not f.path.endswith("_test.go"))
        return tuple(f for f in mine if not {"vendor", "node_modules", "testdata"} & set(f.path.split("/")))

    def tests(self) -> tuple[File, ...]:
        return tuple(f for f in self.files if f.path.endswith("_test.go") and not f.path.startswith("vendor/"))

    def workflows(self) -> tuple[File, ...]:
        folder = ".github/workflows/"
        return tuple(f for f in self.files if f.path.startswith(folder) and f.path.endswith((".yml", ".yaml")))


@dataclass(frozen=True, slots=True)
class Module:
    """A go.mod. `requires` maps each module that is used directly to its version, without the "v"."""

    path: str = ""
    go: str = ""
    requires: Mapping[str, str] = field(default_factory=dict)


def module_of(text: str) -> Module:
    """What a go.mod says; what is no line of one is passed over."""
    said: dict[str, str] = {}
    requires: dict[str, str] = {}
    inside = ""
    for line in _lines(text):
        if found := DIRECTIVE.match(line):
            said.setdefault(found["word"], found["value"].strip('"'))
            continue
        inside = _block(line, inside)
        needed = REQUIRED.match(line) if _is_required(line, inside) else None
        if needed and "// indirect" not in needed["rest"]:
            requires[needed["module"]] = needed["version"]
    return Module(said.get("module", ""), said.get("go", ""), requires)


def _block(line: str, inside: str) -> str:
    """Which block of brackets the next lines stand in."""
    opened = re.match(r"^(\w+)\s*\(", line)
    if opened:
        return opened[1]
    return "" if line.strip() == ")" else inside


def _is_required(line: str, inside: str) -> bool:
    return inside == "require" or (inside == "" and line.startswith("require "))


def _lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if len(line) <= LONGEST_LINE]


def crons(workflow: str) -> tuple[str, ...]:
    """The times at which a workflow runs by itself, as five fields."""
    found = (" ".join(match["when"].split()) for line in _lines(workflow) if (match := CRON.match(line)))
    return tuple(when for when in found if len(when.split()) == 5)


def is_nightly(cron: str) -> bool:
    """Whether the times come at least once on every working day."""
    _, _, day, month, weekday = cron.split()
    every = {"*", "*/1"}
    working = {"1-5", "mon-fri", "0-4", "0-6", "1-6", "1-7", "sun-sat", "1,2,3,4,5"}
    return day in every and month in every and (weekday in every or weekday.lower() in working)


def runs_tests(workflow: str) -> bool:
    return TEST_RUN.search(workflow) is not None


def resources_of(code: Code) -> Mapping[str, File]:
    """The resources that have a file of their own by its name: resource_NAME.go or NAME_resource.go."""
    found: dict[str, File] = {}
    for file in code.go_files():
        match = RESOURCE_FILE.search(file.path)
        if match:
            found.setdefault(match["before"] or match["after"], file)
    return found


def path_of_tests(file: File) -> str:
    """Where the test of a Go file stands by convention."""
    return f"{file.path.removesuffix('.go')}_test.go"


def abrupt(text: str) -> tuple[str, ...]:
    """Calls that end the whole plugin where an error should be returned, as "panic at line 12"."""
    lines = enumerate(_without_comments(text).splitlines(), 1)
    found = ((number, ABRUPT.match(line)) for number, line in lines if len(line) <= LONGEST_LINE)
    return tuple(f"{match['call']} at line {number}" for number, match in found if match)


def _without_comments(text: str) -> str:
    """The code without comments, its lines where they were."""
    kept, at = [], 0
    while (begin := text.find("/*", at)) >= 0 and (end := text.find("*/", begin + 2)) >= 0:
        kept += [text[at:begin], "\n" * text.count("\n", begin, end)]
        at = end + 2
    bare = "".join((*kept, text[at:]))
    return "\n".join(line.partition("//")[0] for line in bare.split("\n"))


def clients_of(module: Module) -> tuple[str, ...]:
    """Modules outside HashiCorp's and Go's own that could be the client library of the platform."""
    common = (OF_HASHICORP, "golang.org/", "google.golang.org/", "gopkg.in/", "go.uber.org/", "github.com/stretchr/")
    return tuple(path for path in module.requires if not path.startswith(common))
