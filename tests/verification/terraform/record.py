"""Command that records Terraform's verdicts for machines without it: python -m tests.verification.terraform.record."""

import json
from collections import defaultdict
from pathlib import Path

from tests.verification.terraform.judge import judge_pairs, judge_selections
from tests.verification.terraform.pairs import Pair, Selection, generate_pairs, generate_selections

RECORDED = Path(__file__).with_name("terraform-1.11.4.json")
PAIRS, SELECTIONS, SEED = 1700, 100, 1


def read_pairs() -> list[tuple[Pair, str]]:
    """Return the recorded pairs with their verdicts."""
    recorded = json.loads(RECORDED.read_text())["pairs"]
    return [
        (Pair(constraint, version), verdict)
        for constraint, verdicts in recorded.items()
        for verdict, versions in verdicts.items()
        for version in versions
    ]


def read_selections() -> list[tuple[Selection, str]]:
    """Return the recorded lists with the version that was chosen."""
    recorded = json.loads(RECORDED.read_text())["selections"]
    return [(Selection(each["constraint"], tuple(each["versions"])), each["chosen"]) for each in recorded]


def main() -> None:
    pairs, selections = generate_pairs(PAIRS, SEED), generate_selections(SELECTIONS, SEED)
    grouped: defaultdict[str, defaultdict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for pair, verdict in zip(pairs, judge_pairs(pairs), strict=True):
        grouped[pair.constraint][verdict].append(pair.version)
    chosen = [
        {"constraint": each.constraint, "versions": each.versions, "chosen": version}
        for each, version in zip(selections, judge_selections(selections), strict=True)
    ]
    lines = [f"{json.dumps(text)}: {json.dumps(verdicts)}" for text, verdicts in grouped.items()]
    document = '{"pairs": {\n' + ",\n".join(lines) + '\n},\n"selections": [\n'
    document += ",\n".join(json.dumps(each) for each in chosen) + "\n]}\n"
    RECORDED.write_text(document)
    print(f"Recorded {len(pairs)} pairs and {len(chosen)} selections in {RECORDED.name}.")


if __name__ == "__main__":
    main()
