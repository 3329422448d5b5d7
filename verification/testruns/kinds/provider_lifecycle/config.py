"""What does a partner supply for a lifecycle rehearsal, and is it fit? Configurations, an environment, hosts."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

EXECUTABLE = re.compile(r"^terraform-provider-([a-z0-9][a-z0-9-]*?)_v(\d+\.\d+\.\d+[\w.+-]*?)(_x\d)?(\.exe)?$")
NAME = re.compile(r"^[A-Za-z_][A-Za-z0-9_]*$")
OURS = re.compile(
    r"^(PATH|HOME|TMPDIR|USER|LANG|SHELL|IFS|ENV|BASH_ENV|LD_.*|(https?|all|no)_proxy|CHECKPOINT_.*)$", re.I
)
TERRAFORM = re.compile(r"^TF_(?!VAR_)", re.I)
HOST = re.compile(r"^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9](:\d{1,5})?$")
RESOURCE = re.compile(r'^\s*resource\s+"([A-Za-z0-9_-]+)"\s+"[^"]+"', re.MULTILINE)
ELSEWHERE = re.compile(r'^\s*(backend\s+"[^"]*"|cloud)\s*\{', re.MULTILINE)
MOST_NAMES, MOST_HOSTS = 40, 20


class Unfit(ValueError):
    """Something that was given cannot be used. The text is a sentence that says what and why."""


@dataclass(frozen=True, slots=True)
class Given:
    """One rehearsal. `executable`: the provider's; `source`: its address, such as "acme/anvil".

    `refused`: a configuration that must not be planned; `partial`: one whose apply fails when something has been made.
    Both may be blank. `environment` is for the sandbox alone, so it is not shown where this is.
    """

    executable: Path
    terraform: Path
    source: str
    version: str
    base: str
    changed: str
    refused: str = ""
    partial: str = ""
    hosts: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)

    @property
    def name(self) -> str:
        return self.source.rpartition("/")[2]


def version_of(executable: Path) -> tuple[str, str]:
    """The provider's name and version, as Terraform reads them from the executable's. Raises Unfit."""
    found = EXECUTABLE.match(executable.name)
    if found is None:
        raise Unfit("The executable must be named like terraform-provider-NAME_v1.2.3.")
    return found[1], found[2]


def environment_of(text: str) -> dict[str, str]:
    """The variables in lines such as NAME=value; blank lines and those that begin with # say nothing. Raises Unfit."""
    found: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), 1):
        name, equals, value = line.strip().removeprefix("export ").partition("=")
        if not name or name.startswith("#"):
            continue
        if not equals or not NAME.match(name.strip()):
            raise Unfit(f"Line {number} is not of the form NAME=value.")
        found[_allowed(name.strip())] = _unquoted(value.strip())
    if len(found) > MOST_NAMES:
        raise Unfit(f"There are more than {MOST_NAMES} variables.")
    return found


def _allowed(name: str) -> str:
    if OURS.match(name) or TERRAFORM.match(name):
        raise Unfit(f"{name} decides how the rehearsal itself runs, so it cannot be set. TF_VAR_… can.")
    return name


def _unquoted(value: str) -> str:
    quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "\"'"
    return value[1:-1] if quoted else value


def hosts_of(text: str) -> tuple[str, ...]:
    """The hosts in a text, one a line or with spaces or commas between. Raises Unfit."""
    found = tuple(dict.fromkeys(re.split(r"[\s,]+", text.strip().lower()))) if text.strip() else ()
    for host in found:
        if not HOST.match(host):
            raise Unfit(f"{host[:100]} is no host name. Write it like api.acme.io, or api.acme.io:8443.")
    if len(found) > MOST_HOSTS:
        raise Unfit(f"There are more than {MOST_HOSTS} hosts.")
    return found


def types_of(text: str) -> tuple[str, ...]:
    """The types of the resources that a configuration declares."""
    return tuple(dict.fromkeys(RESOURCE.findall(text)))


def why_unfit(given: Given) -> str:
    """Why the configurations cannot be used, blank where they can: they hold a credential, or nothing to make."""
    texts = (given.base, given.changed, given.refused, given.partial)
    for name, value in given.environment.items():
        if len(value) >= 8 and any(value in text for text in texts):
            return f"A configuration holds the value of {name}. Use a variable, so that it stays out of the rehearsal."
    if any(ELSEWHERE.search(text) for text in texts):
        return "Leave out “backend” and “cloud”: the rehearsal keeps the state itself."
    if not types_of(given.base) and "module" not in given.base:
        return "The configuration declares no resource, so there is nothing to make."
    return ""
