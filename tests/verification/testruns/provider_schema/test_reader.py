"""Tests of the schema reader, directly and through Terraform."""

import base64
import json
import ssl
import sys
import zipfile
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.verification.sandbox.programs import HOSTILE, READABLE, kill_bubblewrap_in_use, write_program
from verification.plugins.mutual_tls import create_context
from verification.sandbox import environment
from verification.sandbox.types import MEGABYTE, Limits, SandboxUnavailable
from verification.testruns.kinds.provider_schema.reader import (
    ProviderSchemaTarget,
    build_target,
    list_differences,
    read_directly,
    read_with_terraform,
    run_job,
)
from verification.testruns.terraform_cli import find_terraform

LIMITS = Limits(seconds=4, memory=80 * MEGABYTE, disk=30 * MEGABYTE, processes=60, output=200_000)
PROVIDER = f"""#!{Path(sys.prefix)}/bin/python
from tf.iface import Provider, Resource
from tf.runner import run_provider
from tf.blocks import SetNestedBlock
from tf.schema import Attribute, Block, Schema
from tf.types import Bool, List, Map, String

class Server(Resource):
    @classmethod
    def get_name(cls): return "server"
    @classmethod
    def get_schema(cls):
        return Schema(version=2, attributes=[
            Attribute("address", String(), required=True, description="Where it is."),
            Attribute("labels", Map(String()), optional=True),
            Attribute("token", String(), optional=True, sensitive=True),
            Attribute("names", List(String()), computed=True),
        ], block_types=[SetNestedBlock("disk", Block(attributes=[
            Attribute("fast", Bool(), optional=True, deprecated=True)]))])
    def __init__(self, provider): pass
    def validate(self, *_): pass
    def plan(self, *_): pass
    def create(self, *_): pass
    def read(self, *_): pass
    def update(self, *_): pass
    def delete(self, *_): pass

class Example(Provider):
    def get_model_prefix(self): return "example_"
    def full_name(self): return "registry.terraform.io/acme/example"
    def get_provider_schema(self, diags): return Schema(attributes=[Attribute("key", String(), optional=True)])
    def validate_config(self, *_): pass
    def configure_provider(self, *_): pass
    def get_data_sources(self): return []
    def get_resources(self): return [Server]
    def get_functions(self): return []

run_provider(Example())
"""
HANDSHAKE = "print('1|5|unix|/tmp/p|grpc|CERTIFICATE', flush=True)"  # the test inserts one
AWS = "terraform-provider-aws_3.39.0_linux_amd64.zip"


@pytest.fixture(autouse=True)
def require_sandbox():
    """Skip the test with the reason if this machine can't run a sandbox."""
    if reason := environment.find_obstacle():
        pytest.skip(reason)


@pytest.fixture
def terraform():
    terraform_path = find_terraform()
    if terraform_path is None:
        pytest.skip("no terraform on this machine")
    return terraform_path


def build_schema_target(executable, limits=LIMITS):
    return ProviderSchemaTarget(executable, "registry.terraform.io/acme/example", "1.0.0", limits, READABLE)


@pytest.fixture
def provider(tmp_path):
    path = tmp_path / "terraform-provider-example_v1.0.0"
    path.write_text(PROVIDER)
    path.chmod(0o755)
    return path


def test_provider_with_tls_is_read_as_terraform_reads_it(provider, terraform):
    limits = Limits(seconds=30)
    one = read_directly(build_schema_target(provider, limits))
    other = read_with_terraform(build_schema_target(provider, limits), terraform)
    assert (one.problem, other.problem) == ("", ""), (one.output, other.output)
    assert (one.protocol, list_differences(one.document, other.document)) == (6, [])
    server = one.document["provider_schemas"]["registry.terraform.io/acme/example"]["resource_schemas"][
        "example_server"
    ]
    assert server["version"] == 2
    assert server["block"]["attributes"]["labels"]["type"] == ["map", "string"]
    assert server["block"]["block_types"]["disk"]["nesting_mode"] == "set"


SCHEMA_PARTS = {
    "provider": {"version": 0, "block": {"description_kind": "plain"}},
    "resource_schemas": {"acme_server": {"version": 1, "block": {"attributes": {"id": {"type": "string"}}}}},
}


def build_document(**parts):
    return {"format_version": "1.0", "provider_schemas": {"registry.terraform.io/acme/acme": SCHEMA_PARTS | parts}}


def test_parts_that_only_newer_terraform_prints_are_no_difference():
    old_resource = {"version": 1, "block": {"attributes": {"id": {"type": "string", "deprecated": True}}}}
    attribute = {"type": "string", "deprecated": True, "deprecation_message": "Use the name."}
    newer = build_document(
        resource_schemas={"acme_server": {"version": 1, "block": {"attributes": {"id": attribute}}}},
        resource_identity_schemas={"acme_server": {"version": 0, "attributes": {}}},
        list_resource_schemas={"acme_server": {"version": 0, "block": {}}},
        action_schemas={"acme_restart": {"block": {}}},
        state_store_schemas={"acme_store": {"version": 0, "block": {}}},
    )
    assert list_differences(build_document(resource_schemas={"acme_server": old_resource}), newer) == []


def test_resource_that_only_terraform_prints_is_a_difference():
    assert list_differences(build_document(resource_schemas={}), build_document()) == ["resource_schemas.acme_server"]


@pytest.mark.parametrize(
    ("text", "key"),
    [
        (HOSTILE["opens the network"], "network access"),
        (HOSTILE["reads the home folder"], "home folder access"),
        (HOSTILE["writes 10 GB"], "disk full"),
        ("time.sleep(60)", "timed out"),
        ("sys.exit(1)", "ended"),
        ("print('Hello', flush=True); time.sleep(60)", "fields"),
        ("print('1|4|unix|/tmp/p|grpc|', flush=True); time.sleep(60)", "version"),
        ("print('1|5|unix|/tmp/p|netrpc|', flush=True); time.sleep(60)", "protocol"),
        (HANDSHAKE + "; sys.exit(3)", "ended"),
        (HANDSHAKE + HOSTILE["eats memory"], "out of memory"),
    ],
)
def test_failing_provider_is_reported_with_its_reason(text, key, tmp_path):
    certificate = base64.b64encode(ssl.PEM_cert_to_DER_cert(create_context()[1])).decode()
    program = write_program(tmp_path, "terraform-provider-example", text.replace("CERTIFICATE", certificate))
    limits = replace(LIMITS, seconds=1.0) if key == "timed out" else LIMITS
    direct_reading = read_directly(build_schema_target(program, limits))
    assert (direct_reading.document, direct_reading.key) == (None, key), direct_reading
    assert direct_reading.problem.endswith(".")


def test_failure_of_the_sandbox_is_not_blamed_on_the_provider(provider):
    with kill_bubblewrap_in_use() as command:
        provider.write_text(f"#!/bin/sh\n{command}\n")
        with pytest.raises(SandboxUnavailable, match="The sandbox failed"):
            run_job({"source": "acme/example", "via": "direct"}, provider, lambda progress: None)


def test_provider_that_terraform_rejects_is_reported(tmp_path, terraform):
    program = write_program(tmp_path, "terraform-provider-example", "sys.exit(1)")
    terraform_reading = read_with_terraform(build_schema_target(program, Limits(seconds=20)), terraform)
    assert (terraform_reading.document, terraform_reading.key) == (None, "terraform")


@pytest.mark.skipif(find_spec("cloudrail") is None, reason="the genuine AWS provider is not installed")
def test_genuine_aws_provider_is_read_equally_both_ways(tmp_path, terraform):
    place = next(Path(folder, "terraform_plugins") for folder in find_spec("cloudrail").submodule_search_locations)
    with zipfile.ZipFile(place / AWS) as archive:
        executable = Path(archive.extract("terraform-provider-aws_v3.39.0_x5", tmp_path))
    executable.chmod(0o755)
    target = build_target(executable, "hashicorp/aws")
    one = read_directly(target)
    other = read_with_terraform(target, terraform)
    assert (one.problem, other.problem, one.protocol) == ("", "", 5)
    assert list_differences(one.document, other.document) == []
    assert json.dumps(one.document, sort_keys=True) == json.dumps(
        {key: other.document[key] for key in ("format_version", "provider_schemas")}, sort_keys=True
    )
    provider_document = one.document["provider_schemas"]["registry.terraform.io/hashicorp/aws"]
    assert (len(provider_document["resource_schemas"]), len(provider_document["data_source_schemas"])) == (711, 246)


@pytest.mark.parametrize(
    ("name", "source", "version"),
    [
        ("terraform-provider-aws_v3.39.0_x5", "registry.terraform.io/partner/aws", "3.39.0"),
        ("terraform-provider-google-beta_v1.0.0-rc.1", "registry.terraform.io/partner/google-beta", "1.0.0-rc.1"),
        ("terraform-provider-null", "registry.terraform.io/partner/null", "0.0.1"),
    ],
)
def test_file_name_contains_source_and_version(name, source, version):
    target = build_target(Path(name))
    assert (target.source, target.version) == (source, version)


def test_file_name_without_a_provider_is_refused():
    with pytest.raises(ValueError, match="Pass its address with --source"):
        build_target(Path("provider"))
