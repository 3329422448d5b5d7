"""License check: correct and wrong verdicts, and its time compared with the identifier alone.

Times license files in the folders given as arguments, by default the texts and the real files of the tests. The table
of verdicts uses the corpus of the tests and a thousand mutants from a new seed (set LICENSE_SEED to repeat one). Other
detectors are measured too if they are installed; see tests.bench.detectors.
"""

import csv
import os
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import median

from licenseclassifier import identify_license

from tests.bench import detectors
from tests.verification.licenses.corpus import ACCEPTED_VERDICTS, CASES, build_policy, fill_license_text
from tests.verification.licenses.mutants import draw_mutants
from tests.verification.licenses.sentences import RESTRICTIONS
from verification.licenses import inspection
from verification.licenses.normalization import decode
from verification.licenses.policy import evaluate_file

ROOT = Path(__file__).parents[2]
TESTS = ROOT / "tests/verification/licenses"
FOLDERS = (ROOT / "verification/licenses/data/texts", TESTS / "real")
ROUNDS = 5
MUTANTS = 1_000
TARGET_RATIO = 1.6
TARGET_KNOWN_MS = 0.1
TARGET_DECIDED = 0.92
COLD_START_CODE = {
    "identifier": "from licenseclassifier import identify_license; identify_license(text)",
    "check": "from verification.licenses.inspection import analyze_content; analyze_content(text.encode())",
}
EvaluatedFile = tuple[str, str, str]  # part of the corpus, expected, verdict


def evaluate_corpus(seed: int) -> Iterator[EvaluatedFile]:
    """Yield every file of the corpus with its expected and actual verdict."""
    with (TESTS / "expected.tsv").open(encoding="utf-8") as table:
        for row in csv.DictReader(table, delimiter="\t"):
            expected = {"person": "no"}.get(row["truth"], row["truth"])
            yield "real files", expected, get_verdict((TESTS / "real" / row["file"]).read_bytes())
    for case in CASES:
        yield f"generated: {case.name.split('/')[0]}", case.expected, get_verdict(case.text.encode(), case.program)
    for id in ("MIT", "BSD-3-Clause", "Apache-2.0", "MPL-2.0", "BSL-1.0"):
        for sentence in RESTRICTIONS:
            for text in (f"{sentence}\n\n{fill_license_text(id)}", f"{fill_license_text(id)}\n\n{sentence}\n"):
                yield "sentence beside the text", "no", get_verdict(text.encode())
    for _, kind, text in draw_mutants(seed, MUTANTS):
        yield f"mutant: {kind}", "no", get_verdict(text.encode())


def get_verdict(raw: bytes, program: str = "terraform-provider") -> str:
    return str(evaluate_file(raw, build_policy(program)).verdict)


def print_table(rows: list[EvaluatedFile]) -> tuple[int, float]:
    """Print the table. Return the false allows and the share of real allowed files decided without a person."""
    names = ("right", "wrong", "a person", "false allow")
    print(f"{'':<28}{'files':>7}{names[0]:>8}{names[1]:>8}{names[2]:>10}{names[3]:>13}")
    total: Counter[str] = Counter()
    for part in dict.fromkeys(part for part, _, _ in rows):
        counts = Counter(classify_verdict(expected, verdict) for name, expected, verdict in rows if name == part)
        total += counts
        print(format_line(part, counts))
    print(format_line("all", total))
    honest = [verdict for part, expected, verdict in rows if part == "real files" and expected == "allow"]
    return total["false allow"], honest.count("allow") / len(honest)


def format_line(part: str, counts: Counter[str]) -> str:
    shown_counts = (counts[name] for name in ("right", "wrong", "person", "false allow"))
    return f"{part:<28}{sum(counts.values()):>7}" + "{:>8}{:>8}{:>10}{:>13}".format(*shown_counts)


def classify_verdict(expected: str, verdict: str) -> str:
    """Return how a verdict counts. "review" is right if expected; otherwise the file needs a person."""
    if verdict == "allow" and expected != "allow":
        return "false allow"
    if verdict in ACCEPTED_VERDICTS[expected]:
        return "right"
    return "person" if verdict == "review" else "wrong"


def read_files(folders: list[Path]) -> list[bytes]:
    paths = (path for folder in folders for path in sorted(folder.rglob("*")))
    return [path.read_bytes() for path in paths if path.is_file() and path.name not in ("words.txt", "SOURCE.md")]


def measure_milliseconds(functions: Sequence[Callable[[bytes], object]], contents: list[bytes]) -> list[float]:
    """Return the CPU time per file of each function: the best round. Functions take turns; the first round warms up."""
    rounds = []
    for _ in range(ROUNDS + 1):
        milliseconds_per_file = []
        for function in functions:
            start = time.process_time()
            for raw in contents:
                function(raw)
            milliseconds_per_file.append((time.process_time() - start) * 1000 / len(contents))
        rounds.append(milliseconds_per_file)
    return [min(row[n] for row in rounds[1:]) for n in range(len(functions))]


def measure_cold_start(code: str) -> float:
    """Return the milliseconds that a new interpreter needs to check one file, without its own start."""
    read = f"text = open({str(ROOT / 'LICENSE')!r}).read(); "

    def measure(source: str) -> float:
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", source], check=True, cwd=ROOT)
        return (time.perf_counter() - start) * 1000

    return median(measure(read + code) - measure(read) for _ in range(ROUNDS))


def print_times(folders: list[Path]) -> tuple[float, float]:
    """Print the times. Return the ratio of the check to the identifier, and the milliseconds of a known file."""
    contents = read_files(folders)
    bare, check_ms, known_file_ms = measure_milliseconds(
        (lambda raw: identify_license(decode(raw)), inspection.analyze_content, inspection.analyze_file),
        contents,
    )
    size = sum(map(len, contents)) / len(contents) / 1000
    print(f"\n{len(contents)} files, {size:.1f} kB each")
    identifier_start, check_start = (measure_cold_start(COLD_START_CODE[name]) for name in ("identifier", "check"))
    print(f"{'identifier alone':<20}{bare:>9.3f} ms per file, cold start {identifier_start:.0f} ms")
    print(f"{'check':<20}{check_ms:>9.3f} ms per file, cold start {check_start:.0f} ms, ratio {check_ms / bare:.2f}")
    print(f"{'known file':<20}{known_file_ms:>9.3f} ms per file")
    return check_ms / bare, known_file_ms


def list_texts_for_detectors(seed: int) -> list[detectors.Text]:
    """Return the texts for slower detectors: real files, cases of the provider program, and 200 mutants."""
    with (TESTS / "expected.tsv").open(encoding="utf-8") as rows:
        real = [
            (row["truth"], decode((TESTS / "real" / row["file"]).read_bytes()))
            for row in csv.DictReader(rows, delimiter="\t")
        ]
    case_texts = [(case.expected, case.text) for case in CASES if case.program == "terraform-provider"]
    return [*real, *case_texts, *(("no", text) for _, _, text in draw_mutants(seed, 200))]


def main() -> int:
    seed = int(os.environ.get("LICENSE_SEED") or random.SystemRandom().randrange(10**9))
    print(f"LICENSE_SEED={seed}")
    false_allows, decided_share = print_table(list(evaluate_corpus(seed)))
    ratio, known_file_ms = print_times([Path(folder) for folder in sys.argv[1:]] or list(FOLDERS))
    print("\nother detectors, without review:")
    detectors.compare(list_texts_for_detectors(seed), build_policy().allow)
    print(
        f"\nreal files of allowed licenses decided without a person: {decided_share:.1%} (target: {TARGET_DECIDED:.0%})"
    )
    print(f"target: no false allow, ratio <= {TARGET_RATIO}, known file <= {TARGET_KNOWN_MS} ms")
    has_missed_target = (
        false_allows or decided_share < TARGET_DECIDED or ratio > TARGET_RATIO or known_file_ms > TARGET_KNOWN_MS
    )
    print("missed" if has_missed_target else "met")
    return 1 if has_missed_target else 0


if __name__ == "__main__":
    sys.exit(main())
