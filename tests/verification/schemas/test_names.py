"""Tests of the names in Crossplane previews."""

import pytest

from verification.schemas.crossplane.naming import (
    build_field_name,
    build_go_name,
    build_secret_name,
    derive_group_kind,
    list_group_kinds,
    quote_go,
)


@pytest.mark.parametrize(
    ("snake", "name"),
    [
        ("group_object_id", "groupObjectId"),
        ("ipv4_address", "ipv4Address"),
        ("use_s3bucket", "useS3Bucket"),
        ("s3bucket_name", "s3bucketName"),
        ("v2beta1", "v2beta1"),
        ("id", "id"),
        ("a__b", "aB"),
    ],
)
def test_field_name_is_derived_from_snake_case(snake: str, name: str) -> None:
    assert build_field_name(snake) == name


@pytest.mark.parametrize(
    ("snake", "name"),
    [
        ("email_provider_smtp", "EmailProviderSMTP"),
        ("azure_ad", "AzureAd"),
        ("group_object_id", "GroupObjectID"),
        ("mysql_db", "MySQLDB"),
    ],
)
def test_go_name_has_acronyms(snake: str, name: str) -> None:
    assert build_go_name(snake) == name


@pytest.mark.parametrize(
    ("snake", "name"),
    [
        ("client_secret", "clientSecretSecretRef"),
        ("password", "passwordSecretRef"),
        ("tls_ca_cert", "tlscaCertSecretRef"),
        ("api_key", "apiKeySecretRef"),
        ("ipv4_key", "iPv4KeySecretRef"),
        ("oauth2_token", "oauth2TokenSecretRef"),
    ],
)
def test_secret_name_is_split_at_the_capitals_of_the_go_name(snake: str, name: str) -> None:
    assert build_secret_name(snake) == name


@pytest.mark.parametrize(
    ("resource", "group_kind"),
    [
        ("aws_rds_cluster_parameter_group", "rds/ClusterParameterGroup"),
        ("kafka_topic", "kafka/Topic"),
        ("aws_rds_cluster", "rds/Cluster"),
        ("acme_email_provider_smtp", "email/ProviderSMTP"),
        ("single", "single/Single"),
    ],
)
def test_group_kind_of_a_resource_is_derived(resource: str, group_kind: str) -> None:
    assert str(derive_group_kind(resource)) == group_kind


def test_group_kinds_begin_with_the_derived_one_without_duplicates() -> None:
    assert [str(one) for one in list_group_kinds("acme_user_api_key")] == [
        "user/APIKey",
        "acme/UserAPIKey",
        "userapi/Key",
    ]


def test_string_in_go_has_letters_as_they_are() -> None:
    assert quote_go('a"\n😀') == '"a\\"\\n😀"'
