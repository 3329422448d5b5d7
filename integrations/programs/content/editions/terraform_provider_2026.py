"""What does the Terraform provider program say since June 2026?"""

from dataclasses import replace

from integrations.programs.content.common import APPLY_TO_PROGRAM, BECOME_A_PARTNER, RESOLVE_48_HOURS_5_DAYS
from integrations.programs.content.editions import terraform_provider_steps as shared
from integrations.programs.content.editions.terraform_2026 import MAILBOX, MANAGER
from integrations.programs.content.editions.terraform_provider_tags import (
    FRAMEWORK,
    PARTNER_TAG,
    PREMIER_BENEFITS,
    PREMIER_FEATURES,
    SBOM,
    SBOM_HINT,
    TAG_HINTS,
    TESTING,
)
from integrations.programs.content.licenses import OPEN_SOURCE_LIST
from integrations.programs.schema import Category, Edition, RequirementGroup, ResourceLink, Stage, Step, Tier

FORUM = ResourceLink("f) Forum for providers", "https://discuss.hashicorp.com/c/terraform-providers/tf-plugin-sdk/43")

DEVELOPMENT_KIT = (
    ResourceLink(
        "a) Custom provider tutorials", "https://developer.hashicorp.com/terraform/tutorials/providers-plugin-framework"
    ),
    ResourceLink("b) Scaffolding repository", "https://github.com/hashicorp/terraform-provider-scaffolding-framework"),
    ResourceLink("b) Plugin framework documentation", FRAMEWORK),
    ResourceLink("c) Video: a provider with the plugin framework", "https://www.youtube.com/watch?v=16qs7LJSyps"),
    ResourceLink("d) Video: what the plugin framework improves", "https://www.youtube.com/watch?v=pAeQC0fC3Xw"),
    ResourceLink("e) Example provider: Random", "https://github.com/hashicorp/terraform-provider-random"),
    FORUM,
)

STEPS = (
    Step(
        "prepare",
        "Prepare",
        Stage.DEVELOP,
        "Build the provider with the development kit, under an allowed license; ask if you need help.",
        shared.PREPARE,
        (*DEVELOPMENT_KIT, TESTING),
    ),
    Step(
        "publish",
        "Publish",
        Stage.DEVELOP,
        "Publish it in the Terraform Registry yourself, best under one organization and with public namespaces.",
        shared.PUBLISH,
        (
            ResourceLink("Terraform Registry", "https://registry.terraform.io/"),
            ResourceLink(
                "Registry publishing documentation",
                "https://developer.hashicorp.com/terraform/registry/providers/publishing",
            ),
            ResourceLink(
                "Provider publishing tutorial",
                "https://developer.hashicorp.com/terraform/tutorials/providers/provider-release-publish",
            ),
            ResourceLink("Public namespaces", "https://developer.hashicorp.com/terraform/cloud-docs/public-namespace"),
        ),
    ),
    Step(
        "apply",
        "Apply",
        Stage.ENGAGE,
        "Apply to the Technology Partner Program, or speak to HashiCorp Alliances.",
        shared.APPLY,
        (APPLY_TO_PROGRAM, BECOME_A_PARTNER),
    ),
    Step(
        "verify",
        "Verify",
        Stage.REVIEW,
        "The program verifies the provider against the requirements of the Partner tag and lists it.",
        (*PARTNER_TAG, TAG_HINTS, *shared.VERIFY),
        also=(Stage.RELEASE,),
    ),
    Step(
        "support",
        "Support",
        Stage.SUPPORT,
        "Maintain the provider and resolve what users report.",
        (shared.SUPPORT,),
    ),
)

TIERS = (
    Tier("official", "Official", "Owned and maintained by HashiCorp.", "hashicorp"),
    Tier(
        "partner-premier",
        "Partner Premier",
        "A Partner provider that also publishes a bill of materials and offers a newer feature of Terraform.",
        "The partner's organization",
        on_request=True,
        requirements=(SBOM, SBOM_HINT, *PREMIER_FEATURES),
        groups=(
            RequirementGroup("technical", "Technical: at least one"),
            RequirementGroup("feature", "Feature: at least one"),
        ),
    ),
    Tier(
        "partner",
        "Partner",
        "Owned and maintained by a technology partner, verified against six requirements.",
        "The partner's organization",
        granted_at_release=True,
        requirements=PARTNER_TAG,
    ),
    Tier(
        "community",
        "Community",
        "Published by individuals, groups or other members of the community.",
        "The maintainer's account",
    ),
    Tier("archived", "Archived", "No longer maintained.", "hashicorp or the partner's"),
)


def build_categories() -> tuple[Category, ...]:
    """The older list with one name changed and one category more, in the newer order: by name."""
    existing_categories = tuple(
        replace(c, key="communication-messaging", name="Communication & Messaging") if c.key == "comms-messaging" else c
        for c in shared.CATEGORIES
    )
    new_category = Category(
        "infrastructure-management",
        "Infrastructure Management",
        "Resources on managed platforms and services, such as virtual networks and databases.",
    )
    return tuple(sorted((*existing_categories, new_category), key=lambda category: category.name.casefold()))


EDITION_2026 = Edition(
    date="2026-06",
    title="Terraform integration program, providers",
    source="hashicorp/web-unified-docs: terraform-docs-common/docs/docs/partnerships.mdx, June 2026",
    steps=STEPS,
    categories=build_categories(),
    mailbox=MAILBOX,
    licenses=OPEN_SOURCE_LIST,
    sla=RESOLVE_48_HOURS_5_DAYS,
    listing="Terraform Registry as Partner, and the HashiCorp website",
    removal="HashiCorp may take the partner status from a provider that is not maintained as required. "
    "A vendor who stops supporting it may see its tag changed to Community.",
    tiers=TIERS,
    offerings=("Community Edition", "HCP Terraform", "Terraform Enterprise"),
    contact=MANAGER,
    links=(FORUM,),
    badges=("Partner, in the Terraform Registry", "Partner Premier, in the Terraform Registry"),
    badge_terms="The Registry shows the tag beside the provider as long as it holds. "
    "Logos are used as the technology partner guide says, which members of the program receive.",
    benefits=("Listed as a technology partner integration on the HashiCorp website", *PREMIER_BENEFITS),
    renamed={"2021-10": {"comms-messaging": "communication-messaging"}},
)
