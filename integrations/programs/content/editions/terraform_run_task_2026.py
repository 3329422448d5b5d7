"""What does the Terraform run task program say since June 2026?"""

from integrations.programs.content.common import (
    APPLY_TO_PROGRAM,
    BECOME_A_PARTNER,
    PARTNER_PAGE,
    build_application,
    build_documentation,
    build_partner_agreement,
)
from integrations.programs.content.editions import terraform_run_task_steps as shared
from integrations.programs.content.editions.terraform_2026 import MAILBOX, MANAGER
from integrations.programs.content.licenses import NO_LICENSE_RULE
from integrations.programs.schema import (
    Category,
    Edition,
    FulfillingParty,
    Question,
    Requirement,
    RequirementKind,
    ResourceLink,
    Stage,
    Step,
    Tier,
)

DOCS = "https://developer.hashicorp.com/terraform"

CATEGORIES = (
    Category(
        "ai-mcp-server-integrations",
        "AI/MCP Server Integrations",
        "Manages several clouds, or uses AI for design, for operation or to write Terraform code.",
    ),
    Category("audit", "Audit", "Records and analyses changes for governance, compliance and safety from disruption."),
    Category("ci-cd", "CI/CD", "Continuous integration, delivery and deployment of infrastructure code."),
    Category(
        "code-scanning-policies-security",
        "Code Scanning/Policies/Security",
        "Scans configurations for errors and security issues before deployment, or enforces policies on them.",
    ),
    Category("cost-management", "Cost Management", "Analyses what infrastructure costs and governs it."),
    Category(
        "no-code-low-code-visual-cloud-design",
        "No Code/Low Code/Visual Cloud Design",
        "Makes workflows of infrastructure code simpler or visible.",
    ),
    Category(
        "observability-monitoring",
        "Observability/Monitoring",
        "Shows performance, usage and health of Terraform deployments.",
    ),
    Category("sso", "SSO", "Single sign-on: secure sign-in for users."),
    Category(
        "terraform-providers",
        "Terraform Providers",
        "Manages resources of a platform through its API: this has a program of its own, Terraform provider.",
    ),
    Category("vcs", "VCS", "Tracks and manages changes of infrastructure code."),
)

DEVELOPMENT_REQUIREMENT = Requirement(
    "RT-3",
    "Integration built and tested",
    FulfillingParty.PARTNER,
    RequirementKind.FORM,
    "Users trust a gate that has been seen to open and to close.",
    fields=(
        Question(
            "stages",
            "Stages supported",
            "choices",
            options=(
                ("pre_plan", "Pre-plan"),
                ("post_plan", "Post-plan"),
                ("pre_apply", "Pre-apply"),
                ("post_apply", "Post-apply"),
                ("api", "None: it works through the API"),
            ),
        ),
        *shared.TEST_FIELDS,
    ),
)
NETWORK = Requirement(
    "RT-9",
    "Network access to Terraform Enterprise",
    FulfillingParty.PARTNER,
    RequirementKind.FORM,
    "A private installation reaches outside systems only where that was planned, as by a secondary hostname.",
    fields=(
        Question(
            "access",
            "How private installations reach it",
            "choice",
            options=(
                ("not_offered", "It is not offered for Terraform Enterprise"),
                ("secondary_hostname", "By a secondary hostname"),
                ("other", "In another way"),
            ),
        ),
        Question("details", "Details", "lines", required=False, max_length=1000),
    ),
    links=(
        ResourceLink("Secondary hostname", f"{DOCS}/enterprise/deploy/reference/configuration#tfe_hostname_secondary"),
    ),
)
DOCUMENTATION = build_documentation(
    "RT-5",
    "Public documentation",
    "The listing leads there, so it must show the whole way by itself.",
    Question("creates", "It says how to create the run task", "yes"),
    Question("attaches", "It says how to attach it to a workspace", "yes"),
    Question("stages", "It says which stages are supported", "yes"),
    Question("shows", "It shows a run stopped and a run passed", "yes", help="Best with screenshots."),
)

STEPS = (
    Step(
        "engage",
        "Engage",
        Stage.ENGAGE,
        "Apply to the Technology Partner Program and sign its agreement, which HashiCorp sends after the application.",
        (build_application("RT-1"), build_partner_agreement("RT-2")),
        (APPLY_TO_PROGRAM, BECOME_A_PARTNER),
    ),
    Step(
        "develop-test",
        "Develop & Test",
        Stage.DEVELOP,
        "Build on the run task API, or on the other APIs of the platform; choose the stages and test both results.",
        (DEVELOPMENT_REQUIREMENT, NETWORK, shared.TEST_RUN_HINTS),
        (
            ResourceLink("Run task API", f"{DOCS}/cloud-docs/api-docs/run-tasks/run-tasks"),
            ResourceLink(
                "Run task stages and results", f"{DOCS}/cloud-docs/api-docs/run-tasks/task-stages-and-results"
            ),
            ResourceLink("Run tasks in the Registry", f"{DOCS}/registry/run-tasks"),
            shared.ANNOUNCEMENT,
            ResourceLink("Run task tutorial", f"{DOCS}/tutorials/cloud/setup-hcp-terraform-run-task"),
            ResourceLink("HCP Terraform API", f"{DOCS}/cloud-docs/api-docs"),
            ResourceLink("Terraform Enterprise API", f"{DOCS}/enterprise/api-docs"),
        ),
    ),
    Step(
        "review",
        "Review",
        Stage.REVIEW,
        "Meet your partnerships manager, or write to the mailbox: enable it, explain it, show it live.",
        (shared.build_demonstration("HCP Terraform or Terraform Enterprise"),),
    ),
    Step(
        "release",
        "Release",
        Stage.RELEASE,
        "Run tasks join the Terraform Registry once the review and the documentation are complete, other "
        "integrations the partner page.",
        (DOCUMENTATION, shared.SUMMARY, shared.DOSSIER, shared.LOGO, shared.LISTING_HINTS),
        (
            ResourceLink("Run tasks in the Registry", "https://registry.terraform.io/browse/run-tasks"),
            ResourceLink("HashiCorp partner page", PARTNER_PAGE),
        ),
    ),
    Step("support", "Support", Stage.SUPPORT, shared.SUPPORT_SUMMARY, (shared.SUPPORT,)),
)

EDITION_2026 = Edition(
    date="2026-06",
    title="Terraform integration program, HCP Terraform and Terraform Enterprise integrations",
    source="hashicorp/web-unified-docs: terraform-docs-common/docs/docs/partnerships.mdx and registry/run-tasks.mdx, "
    "June 2026",
    steps=STEPS,
    categories=CATEGORIES,
    mailbox=MAILBOX,
    licenses=NO_LICENSE_RULE,
    sla=shared.SLA,
    listing="Run tasks: Terraform Registry, registry.terraform.io/browse/run-tasks. Other integrations: partner "
    "page on hashicorp.com",
    removal="An integration that its partner does not support is not verified and not listed on the Terraform "
    "Registry website.",
    tiers=(
        Tier(
            "verified",
            "Verified",
            "HashiCorp has validated the integration, and the partner is a member of the Technology Partner Program.",
            granted_at_release=True,
        ),
    ),
    offerings=("HCP Terraform", "Terraform Enterprise"),
    contact=MANAGER,
    links=(APPLY_TO_PROGRAM, BECOME_A_PARTNER),
    badges=("HCP Terraform", "Terraform Enterprise"),
    badge_terms="For an integration that HashiCorp has validated and a member of the program, on the partner's own "
    "digital properties, as the technology partner guide says.",
    benefits=("A badge that sets the integration apart for joint customers", "A place in the Terraform Registry"),
    renamed={
        "2021-10": {
            "code-scanning": "code-scanning-policies-security",
            "cost-estimation": "cost-management",
            "monitoring": "observability-monitoring",
        }
    },
)
