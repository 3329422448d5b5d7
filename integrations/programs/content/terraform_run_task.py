"""What is the Terraform run task program? For workflow partners, whose service takes part in a Terraform run."""

from integrations.programs.content.editions.terraform_run_task_2021 import EDITION_2021
from integrations.programs.content.editions.terraform_run_task_2026 import EDITION_2026
from integrations.programs.schema import Program

PROGRAM = Program(
    key="terraform-run-task",
    product="Terraform",
    name="Terraform run task",
    summary="A service that HCP Terraform calls during a run and that lets the run pass or stops it.",
    chooser="Should your service look at a Terraform run, or take part in its workflow?",
    editions=(EDITION_2021, EDITION_2026),
    partners="workflow",
    needs_repository=False,
)
