"""Tests of the plural forms of resource kinds."""

import pytest

from verification.schemas.crossplane.naming import pluralize


@pytest.mark.parametrize(
    ("kind", "plural"),
    [
        ("Key", "keys"),
        ("DomainPolicy", "domainpolicies"),
        ("Index", "indices"),
        ("Address", "addresses"),
        ("OIDCSettings", "oidcsettings"),
        ("API", "apis"),
        ("Gateway", "gateways"),
        ("Prefix", "prefixes"),
        ("BusinessMetadata", "businessmetadata"),
        ("Status", "statuses"),
        ("Alias", "aliases"),
        ("Branch", "branches"),
    ],
)
def test_plural_of_a_kind_is_derived(kind: str, plural: str) -> None:
    assert pluralize(kind) == plural


@pytest.mark.parametrize(
    ("kind", "plural"),
    [
        ("SearchIndex", "searchindices"),
        ("EventBus", "eventbuses"),
        ("Silo", "siloes"),
        ("Leaf", "leaves"),
        ("Scenario", "scenarios"),
        ("Database", "databases"),
        ("Device", "devices"),
        ("HealthCheck", "healthchecks"),
        ("IPSet", "ipsets"),
        ("Regex", "regices"),
        ("Quota", "quotas"),
        ("DedicatedHostQuota", "dedicatedhostquotas"),
        ("Ips", "ipses"),
        ("VirtualNetworkDNS", "virtualnetworkdnses"),
        ("OAuthClient", "oauthclients"),
        ("NodePool", "nodepools"),
        ("DNSBus", "dnsbuses"),
        ("Archive", "archives"),
        ("Criteria", "criteria"),
        ("AlertRuleV0Alpha1", "alertrulev0alpha1s"),
        ("SurveyAnalysis", "surveyanalyses"),
        ("UserSSH", "usersshs"),
    ],
)
def test_plural_is_that_of_the_last_word(kind: str, plural: str) -> None:
    assert pluralize(kind) == plural
