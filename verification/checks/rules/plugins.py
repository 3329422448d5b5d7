"""Checks of plugins for Nomad, Vault and Packer, and of modules for Consul, as far as repositories show."""

import re
from dataclasses import replace

from verification.checks.rules.go_module import with_go_module
from verification.checks.rules.publication import PARTNER_TIERS
from verification.checks.rules.repository import build_repository_evidence, with_repository
from verification.checks.rules.shared_reads import build_code_url, with_release_code
from verification.checks.types import Subject, register_check
from verification.outcomes import Evidence, Outcome, Result
from verification.sources import Sources
from verification.sources.errors import SourceNotFoundError
from verification.sources.github.responses import GitHubRepository
from verification.sources.repository_snapshot import GoModule, RepositorySnapshot
from verification.terraform.versions import InvalidVersionError, Version, parse_constraint

# Repository names by category. These are conventions, not rules.
NAME_CONVENTIONS = {
    "container-runtime": ("nomad-driver-NAME",),
    "gpus-hardware-devices": ("nomad-device-NAME",),
    "autoscaling": ("nomad-autoscaler-NAME",),
    "authentication-methods": ("vault-plugin-auth-NAME",),
    # Database plugins belong to the database secrets engine.
    "secrets-engines": ("vault-plugin-secrets-NAME", "vault-plugin-database-NAME"),
}
NAME_PATTERN = "[a-z0-9][a-z0-9-]*"
PULL_REQUEST_URL_PATTERN = re.compile(
    r"https://github\.com/(?P<repository>[\w.-]{1,100}/[\w.-]{1,100})/pull/(?P<number>[1-9]\d{0,8})(?:[/?#].*)?"
)
PACKER_SDK_MODULE = "github.com/hashicorp/packer-plugin-sdk"
# Labels of blocks can be unquoted (HCL Native Syntax Specification, "Blocks").
SERVICES_VARIABLE_PATTERN = re.compile(r'^[ \t]*variable[ \t]+(?:"services"|services\b(?!-))', re.MULTILINE)
# Only at the beginning of a line: within a line, "/*" is usually part of a path in a string.
BLOCK_COMMENT_PATTERN = re.compile(r"^[ \t]*/\*.*?\*/", re.MULTILINE | re.DOTALL)
REQUIRED_VERSION_PATTERN = re.compile(r'^[ \t]*required_version[ \t]*=[ \t]*"(?P<version>[^"\n]{1,100})"', re.MULTILINE)
PROVIDER_PATTERN = re.compile(r"(?P<namespace>[A-Za-z0-9-]{1,64})/(?P<name>[a-z0-9-]{1,64})")
# NIA modules use the syntax of Terraform 0.13.
LAST_TERRAFORM_0_12 = Version(0, 12, 31)
LOWER_BOUND_OPERATORS = frozenset({"=", ">", ">=", "~>"})
VERIFIED_TIERS = (*PARTNER_TIERS, "official")
MAX_FILES = 20
UNREAD_FILES_RESULT = Result(Outcome.NOT_RUN, "We couldn't read all Terraform files.")


@register_check("plugin.name", with_repository)
def check_plugin_name(subject: Subject, sources: Sources, repository: GitHubRepository) -> Result:
    conventions = NAME_CONVENTIONS.get(subject.category, ())
    if not conventions:
        return Result(Outcome.NOT_RUN, "This category has no naming convention.")
    convention = " or ".join(conventions)
    evidence = (build_repository_evidence(repository), Evidence("Convention", convention))
    if any(re.fullmatch(each.replace("NAME", NAME_PATTERN), repository.name) for each in conventions):
        return Result(Outcome.PASS, f"{repository.name} follows the naming convention.", evidence)
    return Result(Outcome.WARN, f"{repository.name} doesn't follow the naming convention {convention}.", evidence)


@register_check("plugin.pull_request")
def check_pull_request(subject: Subject, sources: Sources) -> Result:
    # Nomad asks for it in 4. Review: "submit a GitHub pull request (PR) against the Nomad project".
    address = str(subject.find_answer("pull_request"))
    product_repository = f"hashicorp/{subject.product.lower()}"
    if not address:
        return Result(Outcome.NOT_RUN, "The pull request URL is missing.")
    match = PULL_REQUEST_URL_PATTERN.fullmatch(address)
    if match is None or match["repository"].lower() != product_repository:
        address_evidence = (Evidence("Address", address[:300]),)
        return Result(Outcome.FAIL, f"The URL isn't a pull request in {product_repository}.", address_evidence)
    try:
        pull = sources.github.get_pull_request(product_repository, int(match["number"]))
    except SourceNotFoundError:
        summary = f"{product_repository} has no pull request {match['number']}."
        return Result(Outcome.FAIL, summary, missing_item=f"the pull request {match['number']}")
    state = pull.state
    if pull.merged:
        state = "merged"
    elif pull.draft and state == "open":
        state = "draft"
    evidence = (Evidence(f"Pull request {pull.number}", pull.title, pull.html_url), Evidence("State", state))
    inspected_revisions = (("repository", product_repository), ("pull request", str(pull.number)))
    outcome = {"merged": Outcome.PASS, "open": Outcome.PASS, "draft": Outcome.WARN}.get(state, Outcome.FAIL)
    phrase = {"draft": "is still a draft", "closed": "was closed without a merge"}.get(state, f"is {state}")
    return Result(outcome, f"Pull request {pull.number} {phrase}.", evidence, inspected_revisions)


@register_check("plugin.packer_sdk", with_go_module)
def check_packer_sdk(code: RepositorySnapshot, sources: Sources, go_module: GoModule) -> Result:
    evidence = (Evidence("go.mod", go_module.path or "no name", build_code_url(code, sources, "go.mod")),)
    if PACKER_SDK_MODULE in go_module.requires:
        return Result(Outcome.PASS, f"The plugin uses the SDK v{go_module.requires[PACKER_SDK_MODULE]}.", evidence)
    return Result(Outcome.WARN, "go.mod doesn't require the Packer plugin SDK.", evidence)


def _read_configuration(code: RepositorySnapshot) -> tuple[dict[str, str], bool]:
    """Return the Terraform files at the root without block comments, by name, and whether these are all."""
    files = [file for file in code.files if "/" not in file.path and file.path.endswith(".tf")]
    is_complete = not code.is_truncated and len(files) <= MAX_FILES
    return {file.path: BLOCK_COMMENT_PATTERN.sub("", code.open(file)) for file in files[:MAX_FILES]}, is_complete


@register_check("nia.services", with_release_code)
def check_services_variable(subject: Subject, sources: Sources, code: RepositorySnapshot) -> Result:
    texts, is_complete = _read_configuration(code)
    declaring_path = next((path for path, text in texts.items() if SERVICES_VARIABLE_PATTERN.search(text)), "")
    # Consul-Terraform-Sync passes the services to a module in this variable.
    if declaring_path:
        evidence = (Evidence("Declared in", declaring_path, build_code_url(code, sources, declaring_path)),)
        return Result(Outcome.PASS, f"{declaring_path} declares the variable services.", evidence)
    if not is_complete:
        return UNREAD_FILES_RESULT
    return Result(Outcome.FAIL, "No Terraform file at the root declares the variable services.")


@register_check("nia.terraform", with_release_code)
def check_required_terraform_version(subject: Subject, sources: Sources, code: RepositorySnapshot) -> Result:
    texts, is_complete = _read_configuration(code)
    constraints = [
        (path, match["version"]) for path, text in texts.items() for match in REQUIRED_VERSION_PATTERN.finditer(text)
    ]
    evidence = tuple(Evidence(path, version, build_code_url(code, sources, path)) for path, version in constraints[:5])
    # The version of Terraform must match all of them, so one that excludes 0.12 and older is enough.
    strict_constraint = next((version for _, version in constraints if _excludes_terraform_0_12(version)), "")
    if strict_constraint:
        return Result(Outcome.PASS, f"The module requires Terraform {strict_constraint}.", evidence)
    if not is_complete:
        return replace(UNREAD_FILES_RESULT, evidence=evidence)
    if not constraints:
        return Result(Outcome.WARN, "No Terraform file at the root sets required_version.")
    return Result(Outcome.WARN, f"{constraints[0][1]} doesn't require Terraform 0.13 or newer.", evidence)


def _excludes_terraform_0_12(constraint_text: str) -> bool:
    """Return whether a constraint on Terraform itself excludes 0.12 and older. One that can't be read doesn't."""
    try:
        # Unlike constraints on providers, those on Terraform can have any number of spaces after the operator.
        constraint = parse_constraint(" ".join(constraint_text.split()))
    except InvalidVersionError:
        return False
    return any(
        clause.operator in LOWER_BOUND_OPERATORS
        and clause.version >= LAST_TERRAFORM_0_12
        and not clause.allows(LAST_TERRAFORM_0_12)
        for clause in constraint.clauses
    )


@register_check("nia.provider")
def check_provider_tier(subject: Subject, sources: Sources) -> Result:
    full_name = str(subject.find_answer("provider")).strip()
    if not full_name:
        return Result(Outcome.NOT_RUN, "The provider name is missing.")
    match = PROVIDER_PATTERN.fullmatch(full_name)
    if match is None:
        return Result(Outcome.FAIL, f"{full_name[:80]} doesn't have the form NAMESPACE/NAME.")
    try:
        listing = sources.read(
            f"registry:{full_name}", lambda: sources.registry.read_listing(match["namespace"], match["name"])
        )
    except SourceNotFoundError:
        missing_item = f"{full_name} in the registry"
        return Result(Outcome.FAIL, f"The registry doesn't list {full_name}.", missing_item=missing_item)
    page = sources.registry.build_page_url(match["namespace"], match["name"])
    evidence = (Evidence("Provider", listing.full_name, page),)
    # The program requires a verified provider. The registry's name for that tier is "partner".
    if listing.tier in VERIFIED_TIERS:
        return Result(Outcome.PASS, f"{listing.full_name} is in the {listing.tier} tier.", evidence)
    tier = f"in the {listing.tier} tier" if listing.tier else "in no tier"
    return Result(Outcome.FAIL, f"{listing.full_name} is {tier}, not partner.", evidence)
