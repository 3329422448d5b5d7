"""Provider addresses that Terraform takes, changes or refuses before it asks a registry."""

import json

import pytest

from tests.verification.releases import terraform
from tests.verification.releases.conftest import NOW
from tests.verification.releases.world import Release
from verification.releases import verify
from verification.releases.inspection import Reader
from verification.sources.http.client import OutboundClient
from verification.sources.registry.protocol import RegistryProtocol

ACCEPTED_NAMES = ("acme/rocket-names", "acme/Rocket-Names", "ACME/rocket-names")
REFUSED_NAMES = {
    "acme/rocket_names": "Invalid provider type",
    "acme/rocket--names": "Invalid provider type",
    "acme/-rocket": "Invalid provider type",
    "acme/rocket-": "Invalid provider type",
    "acme/rocket.names": "Invalid provider type",
    "acme/terraform-rocket": "Invalid provider type",
    "acme/terraform-provider-rocket": "Invalid provider type",
    "acme/xn--rcket-jua": "Invalid provider type",
    "ac_me/rocket-names": "Invalid provider namespace",
    "ac--me/rocket-names": "Invalid provider namespace",
}


@pytest.fixture
def judge(world):
    """Return what the portal says Terraform would do with a provider of that address."""
    world.publish(Release("rocket-names"))

    def judge(address):
        namespace, name = address.split("/")
        protocol = RegistryProtocol(world.url, OutboundClient(loopback=True))
        return verify(Reader(protocol, namespace, name, NOW, host=terraform.HOST), "1.0.0").terraform

    return judge


@pytest.mark.parametrize("address", ACCEPTED_NAMES)
def test_capitals_are_the_same_provider(judge, address):
    assert judge(address).accepts is True


@pytest.mark.parametrize("address", REFUSED_NAMES)
def test_refused_address_is_named(judge, address):
    judgement = judge(address)
    assert (judgement.accepts, judgement.message) == (False, REFUSED_NAMES[address])


@pytest.mark.skipif(not terraform.available(), reason="Terraform is not installed")
@pytest.mark.parametrize("address", [*ACCEPTED_NAMES, *REFUSED_NAMES])
def test_terraform_says_the_same(world, tmp_path, address):
    world.publish(Release("rocket-names"))
    required_providers = {"example": {"source": f"{terraform.HOST}/{address}", "version": "1.0.0"}}
    (tmp_path / "main.tf.json").write_text(json.dumps({"terraform": {"required_providers": required_providers}}))
    (tmp_path / "terraform.rc").write_text(
        f'host "{terraform.HOST}" {{\n  services = {{ "providers.v1" = "{world.url}/v1/providers/" }}\n}}\n'
    )
    result = terraform.run(tmp_path, TF_CLI_CONFIG_FILE=str(tmp_path / "terraform.rc"))
    assert (result.returncode == 0) == (address in ACCEPTED_NAMES)
    assert REFUSED_NAMES.get(address, "") in result.stdout
