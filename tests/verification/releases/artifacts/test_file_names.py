"""Tests of the names of release files."""

import pytest

from verification.releases.artifacts import file_names

FILES = [
    "terraform-provider-rocket_1.0.0_linux_amd64.zip",
    "terraform-provider-rocket_1.0.0_manifest.json",
    "terraform-provider-rocket_1.0.0_SHA256SUMS",
    "terraform-provider-rocket_1.0.0_SHA256SUMS.sig",
]


def list_files_without(missing):
    return [name for name in FILES if name != missing]


def test_release_files_have_terraforms_names():
    names = [
        file_names.build_archive_name("rocket", "1.0.0", "linux", "amd64"),
        file_names.build_manifest_name("rocket", "1.0.0"),
        file_names.build_sums_name("rocket", "1.0.0"),
        file_names.build_signature_name("rocket", "1.0.0"),
    ]
    assert names == FILES
    assert file_names.build_binary_name("rocket", "1.0.0") == "terraform-provider-rocket_v1.0.0"
    assert file_names.build_binary_name("rocket", "1.0.0", "windows") == "terraform-provider-rocket_v1.0.0.exe"


@pytest.mark.parametrize(
    ("filename", "expected"),
    [
        (FILES[0], []),
        ("terraform-provider-rocket_v1.0.0_linux_amd64.zip", ["no_archive", "misnamed"]),
        ("terraform-provider-rocket_1.0_linux_amd64.zip", ["no_archive", "misnamed"]),
        ("terraform-provider-rocket_1.0.0_linux_amd64.tar.gz", ["no_archive"]),
        ("Terraform-Provider-rocket_1.0.0_linux_amd64.zip", ["no_archive", "misnamed"]),
        ("terraform-provider-rocket_1.0.0_linux.zip", ["no_archive", "misnamed"]),
        ("../terraform-provider-rocket_1.0.0_linux_amd64.zip", ["no_archive", "misnamed"]),
        (FILES[1], ["no_archive"]),
    ],
)
def test_archive_has_the_name_of_its_release(filename, expected):
    remarks = file_names.list_remarks([*FILES[1:], filename], "rocket", "1.0.0")
    assert [remark.key for remark in remarks] == expected


def test_archive_name_can_have_a_prerelease():
    names = ["terraform-provider-a-b_1.0.0-rc1_darwin_arm64.zip"]
    assert "no_archive" not in {remark.key for remark in file_names.list_remarks(names, "a-b", "1.0.0-rc1")}


@pytest.mark.parametrize(
    ("filenames", "expected"),
    [
        (FILES, []),
        ([*FILES, "CHANGELOG.md"], []),
        (list_files_without(FILES[1]), ["no_manifest"]),
        (list_files_without(FILES[2]), ["no_sums"]),
        (list_files_without(FILES[3]), ["no_signature"]),
        ([*list_files_without(FILES[3]), f"{FILES[2]}.asc"], ["no_signature", "armored"]),
        (list_files_without(FILES[0]), ["no_archive"]),
        ([*FILES, "terraform-provider-rocket_v1.0.0_windows_amd64.zip"], ["misnamed"]),
        ([*FILES, "terraform-provider-other_1.0.0_linux_amd64.zip"], ["misnamed"]),
        ([*FILES, "terraform-provider-rocket_1.0.1_linux_amd64.zip"], ["misnamed"]),
        ([], ["no_sums", "no_signature", "no_manifest", "no_archive"]),
    ],
)
def test_missing_and_misnamed_files_are_reported(filenames, expected):
    assert [remark.key for remark in file_names.list_remarks(filenames, "rocket", "1.0.0")] == expected


@pytest.mark.parametrize(
    ("tag", "is_valid"),
    [
        ("v1.2.3", True),
        ("v1.2.3-pre", True),
        ("v0.0.1", True),
        ("1.2.3", False),
        ("v1.2", False),
        ("v01.2.3", False),
        ("V1.2.3", False),
        ("v1.2.3 ", False),
        ("release-v1.2.3", False),
    ],
)
def test_tag_is_a_version_with_the_prefix_v(tag, is_valid):
    assert bool(file_names.TAG.fullmatch(tag)) is is_valid
