"""Parsers of the input of a provider acceptance test: configurations, environment, and hosts. Pure functions."""

import re
from collections.abc import Mapping

CONFIGURATION_FIELDS = ("base", "changed", "failing_change", "refused", "partial")
VARIABLE_NAME_PATTERN = re.compile(r"^[A-Za-z_][A-Za-z0-9_]*$")
ASSIGNMENT_PATTERN = re.compile(r"\s*(export )?\s*[A-Za-z_][A-Za-z0-9_]*\s*=")
# These change which programs and libraries are loaded, where requests go, and what Terraform does, except TF_VAR_….
RESERVED_VARIABLE_PATTERN = re.compile(
    r"^(PATH|HOME|TMPDIR|USER|LANG|SHELL|IFS|ENV|BASH_ENV|LD_.*|(https?|all|no)_proxy|CHECKPOINT_.*|TF_(?!VAR_).*)$",
    re.I,
)
HOST_PATTERN = re.compile(r"^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9](:\d{1,5})?$")
RESOURCE_PATTERN = re.compile(r'^\s*resource\s+"([A-Za-z0-9_-]+)"\s+"[^"]+"', re.MULTILINE)
# With another backend, the rules would read a state file that Terraform doesn't write.
BACKEND_PATTERN = re.compile(r'^\s*(backend\s+"[^"]*"|cloud)\s*\{', re.MULTILINE)
PROBE_NAME = "test_incomplete"
MAX_VARIABLES = 40
MAX_HOSTS = 20
MAX_PORT = 65535
MIN_SECRET_CHARACTERS = 8


def parse_environment(text: str) -> dict[str, str]:
    """Parse lines of the form NAME=value. Blank lines and comments (#) are skipped. Raises ValueError."""
    variables: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), 1):
        name, equals, value = (part.strip() for part in line.strip().removeprefix("export ").partition("="))
        if not (name or equals) or name.startswith("#"):
            continue
        if not equals or not VARIABLE_NAME_PATTERN.match(name):
            raise ValueError(f"Enter line {number} as NAME=value.")
        if RESERVED_VARIABLE_PATTERN.match(name):
            raise ValueError(
                f"You can't set {name}, because it controls the test run itself. You can set TF_VAR_… variables."
            )
        is_quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "\"'"
        variables[name] = value[1:-1] if is_quoted else value
    if len(variables) > MAX_VARIABLES:
        raise ValueError(f"Enter at most {MAX_VARIABLES} variables.")
    return variables


def select_assignments(text: str) -> str:
    """Return the lines of a text that assign a variable. Raises ValueError without any."""
    lines = [line for line in text.splitlines() if ASSIGNMENT_PATTERN.match(line)]
    if not lines:
        raise ValueError("The saved test account contains no line of the form NAME=value.")
    return "\n".join(lines)


def parse_hosts(text: str) -> tuple[str, ...]:
    """Return the hosts in a text, separated by lines, spaces, or commas. Raises ValueError."""
    hosts = tuple(dict.fromkeys(re.split(r"[\s,]+", text.strip().lower()))) if text.strip() else ()
    for host in hosts:
        if not HOST_PATTERN.match(host) or not 0 < int(host.partition(":")[2] or 443) <= MAX_PORT:
            raise ValueError(f"{host[:100]} isn't a host name. Enter it as api.acme.io or api.acme.io:8443.")
    if len(hosts) > MAX_HOSTS:
        raise ValueError(f"Enter at most {MAX_HOSTS} hosts.")
    return hosts


def find_config_problem(inputs: Mapping[str, str], environment: Mapping[str, str]) -> str:
    """Return why the configurations among the inputs can't be used, blank if they can."""
    texts = [inputs[name] for name in CONFIGURATION_FIELDS]
    for name, value in environment.items():
        # Configurations are stored and shown to the program. A short value, such as a region, can occur in one by
        # chance.
        if len(value) >= MIN_SECRET_CHARACTERS and any(value in text for text in texts):
            return (
                f"A configuration contains the value of {name}. Use a variable to keep the value out of the test run."
            )
    if any(BACKEND_PATTERN.search(text) for text in texts):
        return "Remove “backend” and “cloud”. The test run manages the state itself."
    # The resources can also be declared in a module.
    if not RESOURCE_PATTERN.search(inputs["base"]) and "module" not in inputs["base"]:
        return "The configuration declares no resource. Add at least one."
    return ""


def build_incomplete_config(base: str) -> str:
    """Return a resource without arguments, blank if the configuration declares no resource."""
    resource = RESOURCE_PATTERN.search(base)
    return f'resource "{resource[1]}" "{PROBE_NAME}" {{}}\n' if resource else ""
