"""Every violation of a rule between the keys of an edition is reported with how to fix it."""

import re

import pytest

from tests.integrations.programs.guide_edition import Write, list_problems, replace_attestation_with_check


def confirm_requirement(id: str) -> tuple[tuple[str, str], ...]:
    """Return the change that makes the attestation of the guide confirm a requirement."""
    return (("kind: attestation\n", f"kind: attestation\n          confirms: [{id}]\n"),)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            (("kind: attestation", "kind: attestation\n          group: any"),),
            "edition.steps[1].requirements[0].group: Unknown group 'any'. Remove the key.",
        ),
        (
            (("kind: attestation", "kind: attestation\n          categories: [host]"),),
            "edition.steps[1].requirements[0].categories[0]: Unknown category 'host'. Did you mean 'hosts'?",
        ),
        (
            (("          statement: The integration is built and its tests pass.\n", ""),),
            "edition.steps[1].requirements[0]: A requirement of kind attestation must have 'statement'. "
            "Add 'statement'.",
        ),
        (
            (("responsible_party: both", "responsible_party: partner"),),
            "edition.steps[3].requirements[0].responsible_party: The responsible party of a requirement of "
            "kind agreement must be both. Write both.",
        ),
        (
            (("stage: support", "stage: release"),),
            "edition.steps: The steps don't pass through review, release, and support in this order, or don't end in "
            "support. Correct the stages of the steps.",
        ),
        (
            (("          needed_for: support\n", ""),),
            "edition.steps[4].requirements[0].needed_for: The requirement would be due before its step begins, or "
            'after the last step. Use a later stage, in the last step "support".',
        ),
        (
            confirm_requirement("BO-9"),
            "edition.steps[1].requirements[0].confirms[0]: Unknown requirement 'BO-9'. Did you mean 'BO-4'?",
        ),
        (
            confirm_requirement("BO-3"),
            "edition.steps[1].requirements[0].confirms[0]: 'BO-3' is due after the statement. "
            "Use an earlier requirement.",
        ),
        (
            (*confirm_requirement("BO-1"), ("kind: form\n", "kind: form\n          optional: true\n")),
            "edition.steps[1].requirements[0].confirms[0]: 'BO-1' is optional. "
            "Use a required one, or make the statement optional.",
        ),
        (
            (("kind: agreement\n", "kind: agreement\n          after_findings: true\n"),),
            "edition.steps[3].requirements[0]: Only attestations can have confirms or after_findings. "
            "Remove the key, or change the kind.",
        ),
        (
            (("type: email", "type: choice"),),
            "edition.steps[0].requirements[0].fields[0].options: Only fields of the types choice and choices "
            "have options. Add or remove the options, or change the type.",
        ),
        (
            (("key: contact_email", "key: homepage"),),
            "edition.steps[0].requirements[0].fields[0].key: The draft form already has the field "
            "'homepage'. Remove the field, or use another key.",
        ),
        (
            (("agreements: [tpa]", "agreements: [mnda]"),),
            "edition.steps[3].requirements[0].agreement: The edition doesn't name the agreement 'tpa'. Add it to "
            '"agreements".',
        ),
        (
            replace_attestation_with_check("repository.license"),
            "edition.licenses: License rules require the check 'repository.license', and the check requires license "
            "rules. Add or remove the rules or the check.",
        ),
    ],
)
def test_inconsistency_is_reported(write: Write, changes: tuple[tuple[str, str], ...], message: str) -> None:
    path = write(*changes)
    assert [re.sub(r"^\d+:\d+: ", "", problem) for problem in list_problems(path)] == [message]
