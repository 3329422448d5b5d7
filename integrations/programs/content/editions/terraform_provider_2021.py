"""What did the Terraform provider program say in October 2021?"""

from integrations.programs.content.common import (
    APPLY_TO_PROGRAM,
    BECOME_A_PARTNER,
    PARTNER_MAILBOX,
    RESOLVE_48_HOURS_5_DAYS,
)
from integrations.programs.content.editions import terraform_provider_steps as shared
from integrations.programs.content.licenses import OPEN_SOURCE_LIST
from integrations.programs.schema import Agency, Edition, ResourceLink, Stage, Step, Tier

DEVELOPMENT_KIT = (
    ResourceLink(
        "a) Writing custom providers guide", "https://www.terraform.io/guides/writing-custom-terraform-providers.html"
    ),
    ResourceLink(
        "b) Creating a Terraform Provider for Just About Anything: video", "https://www.youtube.com/watch?v=noxwUVet5RE"
    ),
    ResourceLink(
        "c) Sample provider developed by partner", "http://container-solutions.com/write-terraform-provider-part-1/"
    ),
    ResourceLink("d) Example provider for reference: AWS", "https://github.com/hashicorp/terraform-provider-aws"),
    ResourceLink("d) Example provider for reference: OPC", "https://github.com/hashicorp/terraform-provider-opc"),
    ResourceLink(
        "e) Contributing to Terraform guidelines",
        "https://github.com/hashicorp/terraform/blob/main/.github/CONTRIBUTING.md",
    ),
    ResourceLink(
        "f) HashiCorp developer forum", "https://discuss.hashicorp.com/c/terraform-providers/tf-plugin-sdk/43"
    ),
)
GUIDES = (
    ResourceLink(
        "Provider configuration and versions",
        "https://developer.hashicorp.com/terraform/language/providers/configuration",
        "How users configure a provider and pin its version",
    ),
    ResourceLink("Go installation guide", "https://go.dev/doc/install"),
)

STEPS = (
    Step(
        "prepare",
        "Prepare",
        Stage.DEVELOP,
        "Build the provider with the development kit, under an allowed license.",
        shared.PREPARE,
        (*DEVELOPMENT_KIT, *GUIDES),
    ),
    Step(
        "publish",
        "Publish",
        Stage.DEVELOP,
        "Publish it in the Terraform Registry yourself; several providers of a company belong under one organization.",
        shared.PUBLISH,
        (
            ResourceLink("Terraform Registry", "https://registry.terraform.io/"),
            ResourceLink(
                "Terraform Registry publishing documentation",
                "https://developer.hashicorp.com/terraform/registry/providers/publishing",
            ),
            ResourceLink(
                "Provider publishing learn guide",
                "https://developer.hashicorp.com/terraform/tutorials/providers/provider-release-publish",
            ),
            ResourceLink(
                "Provider documentation format", "https://developer.hashicorp.com/terraform/registry/providers/docs"
            ),
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
        "HashiCorp Alliances verifies the provider in the Registry and lists it on the HashiCorp website.",
        shared.VERIFY,
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
        "verified",
        "Verified",
        "Owned and maintained by a technology partner whose authenticity HashiCorp has verified.",
        "The partner's organization, e.g. cisco/aci",
        granted_at_release=True,
    ),
    Tier(
        "community",
        "Community",
        "Published by individuals, groups or other members of the community.",
        "The maintainer's account, e.g. cyrilgdn/postgresql",
    ),
    Tier(
        "archived",
        "Archived",
        "Once Official or Verified, no longer maintained: an API is gone or interest was low.",
        "hashicorp or the partner's",
    ),
)

EDITION_2021 = Edition(
    date="2021-10",
    title="Terraform Integration Program, providers",
    source="hashicorp/terraform: website/guides/terraform-integration-program, October 2021",
    steps=STEPS,
    categories=shared.CATEGORIES,
    mailbox=PARTNER_MAILBOX,
    licenses=OPEN_SOURCE_LIST,
    sla=RESOLVE_48_HOURS_5_DAYS,
    listing="Terraform Registry as Verified, and the HashiCorp website",
    removal="HashiCorp may take the Verified status from a provider that is no longer maintained. "
    "A vendor who leaves the provider to the community is no longer listed as Verified.",
    tiers=TIERS,
    offerings=("Open Source", "Terraform Cloud", "Terraform Enterprise"),
    links=(ResourceLink("Plugin SDK forum", "https://discuss.hashicorp.com/c/terraform-providers/tf-plugin-sdk/43"),),
    agencies=(
        Agency("Crest Data Systems", "malhar@crestdatasys.com", "https://www.crestdatasys.com"),
        Agency("DigitalOnUs", "hashicorp@digitalonus.com", "https://www.digitalonus.com"),
        Agency("Akava", "bd@akava.io", "https://www.akava.io"),
        Agency("OpenCredo", "hashicorp@opencredo.com", "https://www.opencredo.com"),
    ),
    badges=("Verified, in the Terraform Registry",),
    badge_terms="The Registry shows the tier beside the provider as long as it holds. "
    "Logos are used as the technology partner guide says, which members of the program receive.",
    benefits=("Listed as a technology partner integration on the HashiCorp website",),
)
