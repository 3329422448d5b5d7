"""Tests of the recognition of programs, with recorded public repositories."""

from tests.conform.recognition import RecognitionRow, build_row, load_entries
from verification.discovery.reading import Reading
from verification.discovery.recognition import Candidate, Reason, recognize
from verification.sources.github.responses import GitHubRepository
from verification.sources.repository_snapshot import GoModule

GITHUB = "https://github.com/"
PROVIDER = "terraform-provider"
DRIVER = "container-runtime"
PACKER = "packer"
NIA = "network-infrastructure-automation"


def test_recorded_repositories_are_recognized() -> None:
    assert [build_row(entry) for entry in load_entries()] == [
        RecognitionRow(f"{GITHUB}hetznercloud/terraform-provider-hcloud", PROVIDER, "", 11, ()),
        RecognitionRow(f"{GITHUB}aiven/terraform-provider-aiven", PROVIDER, "", 11, ()),
        RecognitionRow(f"{GITHUB}grafana/terraform-provider-grafana", PROVIDER, "", 11, ()),
        RecognitionRow(f"{GITHUB}Roblox/nomad-driver-containerd", "nomad", DRIVER, 8, ()),
        RecognitionRow(f"{GITHUB}hashicorp/nomad-driver-podman", "nomad", DRIVER, 8, ()),
        RecognitionRow(f"{GITHUB}hashicorp/nomad-device-nvidia", "nomad", "gpus-hardware-devices", 8, ()),
        RecognitionRow(f"{GITHUB}hashicorp/vault-plugin-auth-jwt", "vault", "authentication-methods", 8, ()),
        RecognitionRow(f"{GITHUB}hashicorp/vault-plugin-secrets-kv", "vault", "secrets-engines", 8, ()),
        RecognitionRow(f"{GITHUB}digitalocean/packer-plugin-digitalocean", PACKER, "", 8, ()),
        RecognitionRow(f"{GITHUB}hashicorp/packer-plugin-docker", PACKER, "", 8, ()),
        RecognitionRow(f"{GITHUB}hashicorp/consul-esm", "consul", "", 8, ()),
        RecognitionRow(f"{GITHUB}PaloAltoNetworks/terraform-panos-ag-dag-nia", "consul-nia", NIA, 8, ()),
        RecognitionRow("https://tasks.acme.example/run-task", "terraform-run-task", "", 2, ()),
        RecognitionRow(f"{GITHUB}acme/website", "none", "", 8, ()),
    ]


def build_reading(name: str, *modules: str) -> Reading:
    repository = GitHubRepository(id=1, owner_id=2, full_name=f"acme/{name}", name=name)
    return Reading(repository, go_module=GoModule(requires=dict.fromkeys(modules, "1.0.0")))


def test_program_with_more_reasons_comes_first() -> None:
    nomad = "github.com/hashicorp/nomad"
    vault = "github.com/hashicorp/vault/sdk"
    assert recognize(build_reading("vault-plugin-auth-rocket", nomad, vault)) == [
        Candidate("vault", (Reason("module", vault), Reason("name", "vault-plugin-auth-rocket"))),
        Candidate("nomad", (Reason("module", nomad),)),
    ]


def test_name_that_only_contains_a_pattern_is_not_a_reason() -> None:
    assert recognize(build_reading("my-terraform-provider-rocket")) == []
