"""What is the Terraform provider program? For infrastructure partners, whose platform Terraform manages."""

from integrations.programs.content.editions.terraform_provider_2021 import EDITION_2021
from integrations.programs.content.editions.terraform_provider_2026 import EDITION_2026
from integrations.programs.schema import Program

PROGRAM = Program(
    key="terraform-provider",
    product="Terraform",
    name="Terraform provider",
    summary="A plugin through which Terraform manages the resources of your platform.",
    chooser="Should people create and change things on your platform from Terraform configuration?",
    editions=(EDITION_2021, EDITION_2026),
    partners="infrastructure",
    repository_pattern=r"^terraform-provider-[a-z0-9-]+$",
    repository_hint="terraform-provider-NAME, in lower case",
)
