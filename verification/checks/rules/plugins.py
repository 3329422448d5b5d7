"""What can be told from outside of plugins for Nomad, Vault and Packer, and of modules for Consul?"""

import re

from portal.core.translation import gettext_noop
from verification.checks.rules.go_module import go_mod, no_module
from verification.checks.rules.shared_reads import code_of, link_to, state_of
from verification.checks.types import Subject, check
from verification.outcomes import Evidence, Outcome, Result
from verification.sources import Sources
from verification.sources.errors import NotFound
from verification.sources.repository_snapshot import Code
from verification.terraform.versions import BadVersion, Version, constraint

# how repositories of each category are called by convention
NAMES = {
    "container-runtime": "nomad-driver-NAME",
    "gpus-hardware-devices": "nomad-device-NAME",
    "autoscaling": "nomad-autoscaler-NAME",
    "authentication-methods": "vault-plugin-auth-NAME",
    "secrets-engines": "vault-plugin-secrets-NAME",
}
NAME = "[a-z0-9][a-z0-9-]*"
PULL = re.compile(
    r"https://[^/]{1,100}/(?P<repository>[\w.-]{1,100}/[\w.-]{1,100})/pull/(?P<number>[1-9]\d{0,8})(?:[/?#].*)?"
)
PACKER_SDK = "github.com/hashicorp/packer-plugin-sdk"
SERVICES = re.compile(r'^[ \t]*variable[ \t]+"services"', re.MULTILINE)
REQUIRED_VERSION = re.compile(r'^[ \t]*required_version[ \t]*=[ \t]*"(?P<version>[^"\n]{1,100})"', re.MULTILINE)
PROVIDER = re.compile(r"(?P<namespace>[A-Za-z0-9-]{1,64})/(?P<name>[a-z0-9-]{1,64})")
TOO_OLD = Version(0, 12, 31)
VERIFIED_TIERS = ("partner", "official")
MOST_FILES = 20


@check(
    "plugin.name",
    title=gettext_noop("Name by convention"),
    advice=gettext_noop("Name the repository as others of its kind, so that people find it."),
)
def name(subject: Subject, sources: Sources) -> Result:
    """The repository is called as others of its category are. A convention, not a rule."""
    wanted = NAMES.get(subject.category, "")
    if not subject.repository:
        return Result(Outcome.FAIL, "No repository is named yet.")
    if not wanted:
        return Result(Outcome.NOT_RUN, "There is no convention for names of this category.")
    found = sources.github.repository(subject.repository)
    seen = Evidence("Repository", found.full_name, found.html_url), Evidence("By convention", wanted)
    looked_at = (("repository", found.full_name),)
    if re.fullmatch(wanted.replace("NAME", NAME), found.name):
        return Result(Outcome.PASS, f"{found.name} is named as others of its kind.", seen, looked_at)
    return Result(Outcome.WARN, f"{found.name} is not named {wanted}, as others of its kind.", seen, looked_at)


@check(
    "plugin.pull_request",
    title=gettext_noop("Pull request against the product"),
    advice=gettext_noop("Open a pull request against the product's own repository and enter its address."),
)
def pull_request(subject: Subject, sources: Sources) -> Result:
    """The pull request that the partner names stands in the product's repository, open or merged."""
    address, wanted = str(subject.answer("pull_request")), f"hashicorp/{subject.product.lower()}"
    if not address:
        return Result(Outcome.NOT_RUN, "No pull request is named yet.")
    given = PULL.fullmatch(address)
    if given is None or given["repository"].lower() != wanted:
        sought = (Evidence("Address", address[:300]),)
        return Result(Outcome.FAIL, f"The address is not that of a pull request in {wanted}.", sought)
    try:
        pull = sources.github.pull(wanted, int(given["number"]))
    except NotFound:
        return Result(Outcome.FAIL, f"{wanted} has no pull request {given['number']}.")
    state = "merged" if pull.merged else "draft" if pull.draft and pull.state == "open" else pull.state
    seen = (Evidence(f"Pull request {pull.number}", pull.title, pull.html_url), Evidence("State", state))
    looked_at = (("repository", wanted), ("pull request", str(pull.number)))
    outcome = {"merged": Outcome.PASS, "open": Outcome.PASS, "draft": Outcome.WARN}.get(state, Outcome.FAIL)
    words = {"draft": "is a draft still", "closed": "was closed without being merged"}.get(state, f"is {state}")
    return Result(outcome, f"Pull request {pull.number} {words}.", seen, looked_at)


@check(
    "plugin.packer_sdk",
    title=gettext_noop("Packer plugin SDK"),
    advice=gettext_noop("Build the plugin on github.com/hashicorp/packer-plugin-sdk, as the scaffold does."),
)
def packer_sdk(subject: Subject, sources: Sources) -> Result:
    """go.mod asks for Packer's SDK for plugins."""
    code = code_of(subject, sources)
    if isinstance(code, Result):
        return code
    found = go_mod(code)
    if found is None:
        return no_module(code, sources)
    seen = (Evidence("go.mod", found.path or "no name", link_to(code, sources, "go.mod")),)
    if PACKER_SDK in found.requires:
        return Result(Outcome.PASS, f"Built on the SDK v{found.requires[PACKER_SDK]}.", seen, state_of(code))
    return Result(Outcome.WARN, "go.mod does not ask for Packer's SDK for plugins.", seen, state_of(code))


def _configuration(code: Code) -> dict[str, str]:
    """The Terraform files at the root, by name."""
    files = [file for file in code.files if "/" not in file.path and file.path.endswith(".tf")]
    return {file.path: code.open(file) for file in files[:MOST_FILES]}


@check(
    "nia.services",
    title=gettext_noop("The variable services"),
    advice=gettext_noop(
        'Declare variable "services" at the root: Consul-Terraform-Sync hands the services over in it.'
    ),
)
def services(subject: Subject, sources: Sources) -> Result:
    """A Terraform file at the root declares the variable services."""
    code = code_of(subject, sources)
    if isinstance(code, Result):
        return code
    texts = _configuration(code)
    where = next((path for path, text in texts.items() if SERVICES.search(text)), "")
    if where:
        seen = (Evidence("Declared in", where, link_to(code, sources, where)),)
        return Result(Outcome.PASS, f"{where} declares the variable services.", seen, state_of(code))
    if code.cut or len(texts) == MOST_FILES:
        return Result(Outcome.NOT_RUN, "Not all Terraform files could be looked at.", looked_at=state_of(code))
    summary = f"None of {len(texts)} Terraform files at the root declares the variable services."
    return Result(Outcome.FAIL, summary, (), state_of(code))


@check(
    "nia.terraform",
    title=gettext_noop("Terraform 0.13 or newer"),
    advice=gettext_noop('Write required_version = ">= 0.13" into the terraform block.'),
)
def terraform(subject: Subject, sources: Sources) -> Result:
    """The module says which Terraform it needs, and Terraform 0.12 is not enough."""
    code = code_of(subject, sources)
    if isinstance(code, Result):
        return code
    found = [
        (path, match["version"])
        for path, text in _configuration(code).items()
        for match in REQUIRED_VERSION.finditer(text)
    ]
    if not found:
        return Result(Outcome.WARN, "No Terraform file at the root says required_version.", (), state_of(code))
    seen = tuple(Evidence(path, version, link_to(code, sources, path)) for path, version in found[:5])
    old = [version for _, version in found if _lets_pass(version, TOO_OLD)]
    if old:
        return Result(Outcome.WARN, f"{old[0]} is no bound that keeps Terraform 0.12 out.", seen, state_of(code))
    return Result(Outcome.PASS, f"Needs Terraform {found[0][1]}.", seen, state_of(code))


def _lets_pass(text: str, version: Version) -> bool:
    """Whether a constraint on Terraform itself lets a release pass; what cannot be read keeps nothing out."""
    try:
        # unlike constraints on providers, those on Terraform may hold any number of spaces after the operator
        return constraint(" ".join(text.split())).lets_pass(version)
    except BadVersion:
        return True


@check(
    "nia.provider",
    title=gettext_noop("A verified provider"),
    advice=gettext_noop(
        "Name a provider of the tier partner or official; otherwise begin with the Terraform provider program."
    ),
)
def provider(subject: Subject, sources: Sources) -> Result:
    """The registry shows the provider on which the module stands as partner or official."""
    named = str(subject.answer("provider")).strip()
    if not named:
        return Result(Outcome.NOT_RUN, "No provider is named yet.")
    match = PROVIDER.fullmatch(named)
    if match is None:
        return Result(Outcome.FAIL, f"{named[:80]} is not NAMESPACE/NAME.")
    try:
        found = sources.read(f"registry:{named}", lambda: sources.registry.published(match["namespace"], match["name"]))
    except NotFound:
        return Result(Outcome.FAIL, f"The registry does not list {named}.", absent=f"{named} in the registry")
    seen = (Evidence("Provider", found.full_name, sources.registry.page_of(match["namespace"], match["name"])),)
    if found.tier in VERIFIED_TIERS:
        return Result(Outcome.PASS, f"{found.full_name} is {found.tier}.", seen)
    return Result(Outcome.FAIL, f"{found.full_name} is {found.tier or 'of no tier'}, not partner.", seen)
