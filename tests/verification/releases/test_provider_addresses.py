"""Tests of provider addresses that Terraform accepts or refuses before it contacts a registry."""

import json

import pytest

from tests.verification.releases import terraform
from tests.verification.releases.conftest import NOW
from tests.verification.releases.release_registry import Release
from verification.releases import verify
from verification.releases.inspection import ReleaseReader
from verification.sources.http.client import OutboundClient
from verification.sources.registry.protocol import RegistryProtocol

ACCEPTED_ADDRESSES = ("acme/rocket-names", "acme/Rocket-Names", "ACME/rocket-names")
REFUSED_ADDRESSES = {
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
def predict_decision(registry):
    """Return a function that predicts Terraform's decision about a provider address."""
    registry.publish(Release("rocket-names"))

    def predict(address):
        namespace, name = address.split("/")
        protocol = RegistryProtocol(registry.url, OutboundClient(loopback=True))
        return verify(ReleaseReader(protocol, namespace, name, NOW, host=terraform.HOST), "1.0.0").terraform

    return predict


@pytest.mark.parametrize("address", ACCEPTED_ADDRESSES)
def test_address_is_accepted_in_any_case(predict_decision, address):
    assert predict_decision(address).accepts is True


@pytest.mark.parametrize("address", REFUSED_ADDRESSES)
def test_invalid_address_is_refused_with_its_reason(predict_decision, address):
    decision = predict_decision(address)
    assert (decision.accepts, decision.message) == (False, REFUSED_ADDRESSES[address])


@terraform.needs_terraform
@pytest.mark.parametrize("address", [*ACCEPTED_ADDRESSES, *REFUSED_ADDRESSES])
def test_terraform_decides_as_predicted(registry, tmp_path, address):
    registry.publish(Release("rocket-names"))
    required_providers = {"example": {"source": f"{terraform.HOST}/{address}", "version": "1.0.0"}}
    (tmp_path / "main.tf.json").write_text(json.dumps({"terraform": {"required_providers": required_providers}}))
    config = terraform.write_cli_config(tmp_path, registry.url)
    result = terraform.run_init(tmp_path, TF_CLI_CONFIG_FILE=str(config))
    assert (result.returncode == 0) == (address in ACCEPTED_ADDRESSES)
    assert REFUSED_ADDRESSES.get(address, "") in result.stdout
