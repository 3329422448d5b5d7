"""Command that records Terraform's verdicts for machines without it: python -m tests.verification.terraform.record."""

import json
from collections import defaultdict
from pathlib import Path

from tests.verification.terraform.pairs import Pair, Selection, generate_pairs, generate_selections
from tests.verification.terraform.reference import evaluate_pairs, evaluate_selections

RECORDED_PATH = Path(__file__).with_name("terraform-1.11.4.json")
PAIRS = 1700
SELECTIONS = 100
SEED = 1


def read_pairs() -> list[tuple[Pair, str]]:
    """Return the recorded pairs with their verdicts."""
    data = json.loads(RECORDED_PATH.read_text())["pairs"]
    return [
        (Pair(constraint, version), verdict)
        for constraint, verdicts in data.items()
        for verdict, versions in verdicts.items()
        for version in versions
    ]


def read_selections() -> list[tuple[Selection, str]]:
    """Return the recorded lists with the version that was chosen."""
    data = json.loads(RECORDED_PATH.read_text())["selections"]
    return [(Selection(each["constraint"], tuple(each["versions"])), each["chosen"]) for each in data]


def main() -> None:
    pairs = generate_pairs(PAIRS, SEED)
    selections = generate_selections(SELECTIONS, SEED)
    versions_by_verdict: defaultdict[str, defaultdict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for pair, verdict in zip(pairs, evaluate_pairs(pairs), strict=True):
        versions_by_verdict[pair.constraint][verdict].append(pair.version)
    recorded_selections = [
        {"constraint": each.constraint, "versions": each.versions, "chosen": version}
        for each, version in zip(selections, evaluate_selections(selections), strict=True)
    ]
    lines = [f"{json.dumps(text)}: {json.dumps(verdicts)}" for text, verdicts in versions_by_verdict.items()]
    document = '{"pairs": {\n' + ",\n".join(lines) + '\n},\n"selections": [\n'
    document += ",\n".join(json.dumps(each) for each in recorded_selections) + "\n]}\n"
    RECORDED_PATH.write_text(document)
    print(f"Recorded {len(pairs)} pairs and {len(recorded_selections)} selections in {RECORDED_PATH.name}.")


if __name__ == "__main__":
    main()
