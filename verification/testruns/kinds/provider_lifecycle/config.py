"""Input of a provider acceptance test: configurations, environment and hosts."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

EXECUTABLE_PATTERN = re.compile(r"^terraform-provider-([a-z0-9][a-z0-9-]*?)_v(\d+\.\d+\.\d+[\w.+-]*?)(_x\d)?(\.exe)?$")
VARIABLE_NAME_PATTERN = re.compile(r"^[A-Za-z_][A-Za-z0-9_]*$")
RESERVED_VARIABLE_PATTERN = re.compile(
    r"^(PATH|HOME|TMPDIR|USER|LANG|SHELL|IFS|ENV|BASH_ENV|LD_.*|(https?|all|no)_proxy|CHECKPOINT_.*)$", re.I
)
TERRAFORM_VARIABLE_PATTERN = re.compile(r"^TF_(?!VAR_)", re.I)
HOST_PATTERN = re.compile(r"^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9](:\d{1,5})?$")
RESOURCE_PATTERN = re.compile(r'^\s*resource\s+"([A-Za-z0-9_-]+)"\s+"[^"]+"', re.MULTILINE)
BACKEND_PATTERN = re.compile(r'^\s*(backend\s+"[^"]*"|cloud)\s*\{', re.MULTILINE)
MAX_VARIABLES, MAX_HOSTS = 40, 20


class InvalidConfig(ValueError):
    """The input can't be used. The message says what is wrong and why."""


@dataclass(frozen=True, slots=True)
class ProviderLifecycleTarget:
    """The tested provider. `source`: its source address, such as "acme/anvil".

    `refused`: a configuration that the plan must reject. `partial`: one whose apply fails after it created something.
    Both can be blank. `environment` holds credentials, so repr omits it.
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


def parse_executable_name(executable: Path) -> tuple[str, str]:
    """Return the provider name and version in the name of an executable. Raises InvalidConfig."""
    match = EXECUTABLE_PATTERN.match(executable.name)
    if match is None:
        raise InvalidConfig("Name the executable terraform-provider-NAME_v1.2.3.")
    return match[1], match[2]


def parse_environment(text: str) -> dict[str, str]:
    """Parse lines of the form NAME=value. Blank lines and comments (#) are skipped. Raises InvalidConfig."""
    variables: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), 1):
        name, equals, value = line.strip().removeprefix("export ").partition("=")
        if not name or name.startswith("#"):
            continue
        if not equals or not VARIABLE_NAME_PATTERN.match(name.strip()):
            raise InvalidConfig(f"Enter line {number} as NAME=value.")
        variables[_validate_variable_name(name.strip())] = _strip_quotes(value.strip())
    if len(variables) > MAX_VARIABLES:
        raise InvalidConfig(f"Enter at most {MAX_VARIABLES} variables.")
    return variables


def _validate_variable_name(name: str) -> str:
    if RESERVED_VARIABLE_PATTERN.match(name) or TERRAFORM_VARIABLE_PATTERN.match(name):
        raise InvalidConfig(
            f"You can't set {name}, because it controls the test run itself. You can set TF_VAR_… variables."
        )
    return name


def _strip_quotes(value: str) -> str:
    is_quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "\"'"
    return value[1:-1] if is_quoted else value


def parse_hosts(text: str) -> tuple[str, ...]:
    """Return the hosts in a text, separated by lines, spaces or commas. Raises InvalidConfig."""
    hosts = tuple(dict.fromkeys(re.split(r"[\s,]+", text.strip().lower()))) if text.strip() else ()
    for host in hosts:
        if not HOST_PATTERN.match(host):
            raise InvalidConfig(f"{host[:100]} isn't a host name. Enter it as api.acme.io or api.acme.io:8443.")
    if len(hosts) > MAX_HOSTS:
        raise InvalidConfig(f"Enter at most {MAX_HOSTS} hosts.")
    return hosts


def list_resource_types(text: str) -> tuple[str, ...]:
    """Return the types of the resources that a configuration declares."""
    return tuple(dict.fromkeys(RESOURCE_PATTERN.findall(text)))


def find_config_problem(target: ProviderLifecycleTarget) -> str:
    """Return why the configurations can't be used, blank if they can: they contain a credential, or declare no
    resource.
    """
    texts = (target.base, target.changed, target.refused, target.partial)
    for name, value in target.environment.items():
        if len(value) >= 8 and any(value in text for text in texts):
            return (
                f"A configuration contains the value of {name}. Use a variable to keep the value out of the test run."
            )
    if any(BACKEND_PATTERN.search(text) for text in texts):
        return "Remove “backend” and “cloud”. The test run manages the state itself."
    if not list_resource_types(target.base) and "module" not in target.base:
        return "The configuration declares no resource. Add at least one."
    return ""
