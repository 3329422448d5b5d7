"""What do the Partner and the Partner Premier tag of a Terraform provider ask for?"""

from integrations.programs.content.common import build_attestation, build_hints
from integrations.programs.schema import (
    AnswerScope,
    FulfillingParty,
    Question,
    Requirement,
    RequirementKind,
    ResourceLink,
    Stage,
)

FRAMEWORK = "https://developer.hashicorp.com/terraform/plugin/framework"
TESTING = ResourceLink("Plugin testing", "https://developer.hashicorp.com/terraform/plugin/testing")

# The six requirements of the Partner tag: stated before the review, except the membership, which the program knows.
PARTNER_TAG = (
    build_attestation(
        "TP-MEM",
        "Member of the Technology Partner Program",
        "The company is a member of the Technology Partner Program.",
        "The program confirms the membership once the application is accepted.",
        Stage.RELEASE,
        who=FulfillingParty.PROGRAM,
        scope=AnswerScope.PARTNER,
    ),
    build_attestation(
        "TP-FRAME",
        "Built on the Plugin Framework",
        "The provider, if it is new, is built on the current Terraform Plugin Framework.",
        "New providers no longer start from the older SDK.",
        Stage.REVIEW,
        links=(ResourceLink("Plugin Framework", FRAMEWORK),),
    ),
    build_attestation(
        "TP-ACC",
        "Acceptance tests",
        "The provider has acceptance tests, they pass, and changes are not merged without them.",
        "Make the tests a required check of the repository.",
        Stage.REVIEW,
        links=(TESTING,),
    ),
    build_attestation(
        "TP-FIX",
        "Commitment to updates and fixes",
        "We keep the provider up to date and fix its issues.",
        "The tag tells users that somebody does.",
        Stage.REVIEW,
    ),
    build_attestation(
        "TP-ESC",
        "Joint customer escalations",
        "We work together with HashiCorp when a customer of both escalates an issue.",
        "Such issues often need both sides at one table.",
        Stage.REVIEW,
    ),
    build_attestation(
        "TP-NIGHT",
        "Nightly tests",
        "The tests run every night as a GitHub Action.",
        "Add a workflow with a nightly schedule: it finds changes of your API before users do.",
        Stage.REVIEW,
    ),
)

# Three of the six can be seen from outside; the partner states them, the machine shows what it sees.
TAG_HINTS = build_hints("TP-TAG", "What can be seen of the tag", "go.framework", "go.acceptance_tests", "go.nightly")
SBOM_HINT = build_hints("TP-SBOM-SEEN", "Bill of materials in the release", "repository.sbom")

SBOM = Requirement(
    "TP-SBOM",
    "Software bill of materials",
    FulfillingParty.PARTNER,
    RequirementKind.FORM,
    "Make it with any generator and publish it with the release.",
    group="technical",
    fields=(
        Question("address", "Address of the bill of materials", "url"),
        Question(
            "generator",
            "Made with",
            "choice",
            options=(
                ("github", "GitHub SBOM generator"),
                ("syft", "Syft"),
                ("cdxgen", "cdxgen"),
                ("other", "Another tool"),
            ),
        ),
    ),
    links=(
        ResourceLink("Syft", "https://github.com/anchore/syft"),
        ResourceLink("CycloneDX generator", "https://github.com/CycloneDX/cdxgen"),
    ),
)
PREMIER_FEATURES = (
    build_attestation(
        "TP-EPH",
        "Ephemeral resources",
        "The provider offers ephemeral resources where secrets call for them.",
        "They keep secrets out of plans and state.",
        group="feature",
        links=(ResourceLink("Ephemeral resources", f"{FRAMEWORK}/ephemeral-resources"),),
    ),
    build_attestation(
        "TP-SEARCH",
        "Terraform Search",
        "The provider implements both resource identity and list resources.",
        "Terraform Search needs the two together: one alone does not count.",
        group="feature",
        links=(
            ResourceLink("Resource identity", f"{FRAMEWORK}/resources/identity"),
            ResourceLink("List resources", f"{FRAMEWORK}/list-resources"),
        ),
    ),
    build_attestation(
        "TP-ACTION",
        "Terraform Actions",
        "The provider offers actions.",
        "Actions let users run day-two operations from configuration.",
        group="feature",
        links=(ResourceLink("Actions", f"{FRAMEWORK}/actions"),),
    ),
)
PREMIER_BENEFITS = (
    "Co-marketing",
    "Technical support and resources",
    "A look at the roadmap",
    "Provider development workshops",
    "A voice in Terraform's design",
)
