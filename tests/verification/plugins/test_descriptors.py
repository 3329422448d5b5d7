"""Tests that the compiled plugin protocols match the .proto files."""

import shutil
import subprocess

import pytest
from google.protobuf.descriptor_pb2 import FileDescriptorSet

from tests.codebase.project_files import ROOT
from verification.plugins.messages import BASE, DESCRIPTORS_PATH, DEVICE, DRIVER, get_method


@pytest.mark.skipif(not shutil.which("protoc"), reason="protoc is not installed")
def test_compiled_protocols_are_up_to_date(tmp_path):
    path = tmp_path / "plugins.binpb"
    subprocess.run([ROOT / "bin" / "build-plugin-descriptors", path], check=True)
    compiled, committed = (FileDescriptorSet.FromString(each.read_bytes()) for each in (path, DESCRIPTORS_PATH))
    assert compiled == committed


def test_every_protocol_file_is_compiled():
    names = {file.name for file in FileDescriptorSet.FromString(DESCRIPTORS_PATH.read_bytes()).file}
    assert {path.name for path in DESCRIPTORS_PATH.parent.glob("*.proto")} <= names


@pytest.mark.parametrize(
    ("full_name", "path", "is_stream"),
    [
        ("tfplugin5.Provider.GetSchema", "/tfplugin5.Provider/GetSchema", False),
        ("tfplugin6.Provider.GetProviderSchema", "/tfplugin6.Provider/GetProviderSchema", False),
        (f"{BASE}.SetConfig", "/hashicorp.nomad.plugins.base.proto.BasePlugin/SetConfig", False),
        (f"{DRIVER}.Fingerprint", "/hashicorp.nomad.plugins.drivers.proto.Driver/Fingerprint", True),
        (f"{DEVICE}.Stats", "/hashicorp.nomad.plugins.device.DevicePlugin/Stats", True),
    ],
)
def test_method_has_the_path_of_the_published_protocol(full_name, path, is_stream):
    method = get_method(full_name)
    assert (method.path, method.is_stream) == (path, is_stream)
