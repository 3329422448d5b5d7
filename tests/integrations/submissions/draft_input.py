"""Input of a draft of a Terraform provider."""

from integrations.programs.registry import PROGRAMS

PROGRAM = PROGRAMS["terraform-provider"]
EDITION = PROGRAM.default_edition
DATA = {
    "repository_address": "https://github.com/acme/terraform-provider-rocket",
    "name": "Rocket",
    "description": "Launches rockets.",
    "category": "networking",
    "offerings": ["Terraform Cloud"],
    "homepage": "",
}
