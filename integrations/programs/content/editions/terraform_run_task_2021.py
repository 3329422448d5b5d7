"""What did the Terraform run task program say in October 2021?"""

from integrations.programs.content.common import (
    APPLY_TO_PROGRAM,
    BECOME_A_PARTNER,
    PARTNER_MAILBOX,
    build_application,
    build_documentation,
    build_partner_agreement,
)
from integrations.programs.content.editions import terraform_run_task_steps as shared
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

CATEGORIES = (
    Category("code-scanning", "Code Scanning", "Reviews configurations for errors and security issues."),
    Category("cost-estimation", "Cost Estimation", "Estimates what a deployment will cost, from earlier ones."),
    Category("monitoring", "Monitoring", "Shows how well things perform."),
    Category("zero-trust-security", "Zero Trust Security", "Verifies connections before access to systems is given."),
    Category("audit", "Audit", "Keeps code well formed, wards off threats and analyses code further."),
    Category("itsm", "ITSM", "IT service management: how IT workflows are rolled out and delivered."),
    Category("sso", "SSO", "Single sign-on: secure sign-in for users."),
    Category("ci-cd", "CI/CD", "Continuous integration, delivery and deployment."),
    Category("vcs", "VCS", "Tracks and manages changes of code."),
)

DEVELOPMENT_REQUIREMENT = Requirement(
    "RT-3",
    "Run task built and tested",
    FulfillingParty.PARTNER,
    RequirementKind.FORM,
    "Users trust a gate that has been seen to open and to close.",
    fields=(
        Question("stages", "Stages supported", "choices", options=(("pre_apply", "Pre-apply"),)),
        *shared.TEST_FIELDS,
    ),
)

STEPS = (
    Step(
        "engage",
        "Engage",
        Stage.ENGAGE,
        "Sign up for the Technology Partner Program.",
        (build_application("RT-1"), build_partner_agreement("RT-2", Stage.RELEASE)),
        (APPLY_TO_PROGRAM, BECOME_A_PARTNER),
    ),
    Step(
        "develop-test",
        "Develop & Test",
        Stage.DEVELOP,
        "Build on the run task API. Pre-apply, between plan and apply, is the only stage; run tasks are in beta "
        "and on by default for the business tier only.",
        (DEVELOPMENT_REQUIREMENT, shared.TEST_RUN_HINTS),
        (
            ResourceLink(
                "Run task API", "https://developer.hashicorp.com/terraform/cloud-docs/api-docs/run-tasks/run-tasks"
            ),
            shared.ANNOUNCEMENT,
            ResourceLink(
                "Example: Snyk",
                "https://docs.snyk.io/features/integrations/ci-cd-integrations/integrating-snyk-with-terraform-cloud",
            ),
            ResourceLink("Terraform Cloud API", "https://developer.hashicorp.com/terraform/cloud-docs/api-docs"),
        ),
    ),
    Step(
        "review",
        "Review",
        Stage.REVIEW,
        "Meet your Alliances manager, or write to the mailbox: enable it, explain it, show it live.",
        (shared.build_demonstration("Terraform Cloud"),),
    ),
    Step(
        "release",
        "Release",
        Stage.RELEASE,
        "The run task page shows your summary once the review and the documentation are complete.",
        (
            build_documentation("RT-5", "Documentation for users", "Helps users get started; the listing leads there."),
            shared.SUMMARY,
            shared.DOSSIER,
            shared.LOGO,
            shared.LISTING_HINTS,
        ),
        (
            ResourceLink(
                "Run task page",
                "https://www.terraform.io/docs/cloud/integrations/run-tasks/index.html#run-tasks-technology-partners",
            ),
        ),
    ),
    Step("support", "Support", Stage.SUPPORT, shared.SUPPORT_SUMMARY, (shared.SUPPORT,)),
)

EDITION_2021 = Edition(
    date="2021-10",
    title="Terraform Integration Program, Terraform Cloud integrations",
    source="hashicorp/terraform: website/guides/terraform-integration-program, October 2021",
    steps=STEPS,
    categories=CATEGORIES,
    mailbox=PARTNER_MAILBOX,
    licenses=NO_LICENSE_RULE,
    sla=shared.SLA,
    listing="Run task page of the Terraform documentation website",
    removal="An integration that its partner does not support is not Verified and not listed on the Terraform "
    "documentation website.",
    tiers=(
        Tier(
            "verified",
            "Verified",
            "HashiCorp has verified the integration, and the partner is a member of the Technology Partner Program.",
            granted_at_release=True,
        ),
    ),
    offerings=("Terraform Cloud", "Terraform Enterprise"),
    links=(APPLY_TO_PROGRAM, BECOME_A_PARTNER),
    badges=("Terraform Cloud",),
    badge_terms="For a verified integration of a member, on the partner's own digital properties, as the "
    "technology partner guide says that members receive.",
    benefits=("A badge that sets the integration apart for joint customers", "A place on the run task page"),
)
