"""Resources that the Terraform guide of October 2021 and the Nomad guide of April 2021 name."""

from tests.integrations.programs.guides import NOMAD, PROVIDER, RUN_TASK

DEVELOPER = "https://developer.hashicorp.com"
SDK_FORUM = "https://discuss.hashicorp.com/c/terraform-providers/tf-plugin-sdk/43"
APPLICATION = [
    "https://www.hashicorp.com/go/tech-partner",
    "https://www.hashicorp.com/partners/become-a-partner",
]
# edition, step or category ("" for the whole program), and the URLs in the order of the guide
LINKS = [
    (
        PROVIDER,
        "prepare",
        [
            "https://www.terraform.io/guides/writing-custom-terraform-providers.html",
            "https://www.youtube.com/watch?v=noxwUVet5RE",
            "http://container-solutions.com/write-terraform-provider-part-1/",
            "https://github.com/hashicorp/terraform-provider-aws",
            "https://github.com/hashicorp/terraform-provider-opc",
            "https://github.com/hashicorp/terraform/blob/main/.github/CONTRIBUTING.md",
            SDK_FORUM,
            f"{DEVELOPER}/terraform/language/providers/configuration",
            "https://go.dev/doc/install",
        ],
    ),
    (PROVIDER, "", [APPLICATION[1], SDK_FORUM]),
    (
        PROVIDER,
        "publish",
        [
            "https://registry.terraform.io/",
            f"{DEVELOPER}/terraform/registry/providers/publishing",
            f"{DEVELOPER}/terraform/tutorials/providers/provider-release-publish",
            f"{DEVELOPER}/terraform/registry/providers/docs",
        ],
    ),
    (PROVIDER, "apply", APPLICATION),
    (RUN_TASK, "engage", APPLICATION),
    (
        RUN_TASK,
        "develop-test",
        [
            f"{DEVELOPER}/terraform/cloud-docs/api-docs/run-tasks/run-tasks",
            "https://www.hashicorp.com/blog/terraform-cloud-run-tasks-beta-now-available",
            "https://www.hashicorp.com/products/terraform/pricing",
            "https://docs.snyk.io/features/integrations/ci-cd-integrations/integrating-snyk-with-terraform-cloud",
            f"{DEVELOPER}/terraform/cloud-docs/api-docs",
        ],
    ),
    (
        NOMAD,
        "",
        [
            f"{DEVELOPER}/nomad/docs/what-is-nomad",
            "https://discuss.hashicorp.com/c/nomad",
            "https://groups.google.com/g/nomad-tool",
            "https://github.com/hashicorp/nomad",
        ],
    ),
    (
        NOMAD,
        "enable",
        [
            "https://github.com/hashicorp/nomad/tree/main/contributing",
            "https://discuss.hashicorp.com/c/nomad",
            "https://groups.google.com/g/nomad-tool",
            "https://github.com/hashicorp/nomad",
        ],
    ),
    (
        NOMAD,
        "container-runtime",
        [
            f"{DEVELOPER}/nomad/docs/drivers",
            f"{DEVELOPER}/nomad/docs/concepts/plugins/task-drivers",
            f"{DEVELOPER}/nomad/plugins/drivers/community",
        ],
    ),
    (
        NOMAD,
        "gpus-hardware-devices",
        [
            f"{DEVELOPER}/nomad/docs/devices",
            f"{DEVELOPER}/nomad/docs/concepts/plugins/devices",
            "https://github.com/hashicorp/nomad-skeleton-device-plugin",
            "https://github.com/hashicorp/nomad-device-nvidia",
        ],
    ),
    (NOMAD, "autoscaling", [f"{DEVELOPER}/nomad/tools/autoscaling"]),
    (NOMAD, "storage", [f"{DEVELOPER}/nomad/docs/concepts/plugins/csi"]),
    (NOMAD, "monitoring", [f"{DEVELOPER}/nomad/docs/operations/monitoring-nomad"]),
]
