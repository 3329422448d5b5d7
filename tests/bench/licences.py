"""The licence gate against the bare identifier: time per file, cold start, and a file seen before.

Run with a folder of licence files, or without: then the texts and the real files of the tests are taken.
"""

import subprocess
import sys
import time
from pathlib import Path
from statistics import median

from licenseclassifier import identify_license

from verification.licences import see
from verification.licences.clean import decode

ROOT = Path(__file__).parents[2]
FOLDERS = (ROOT / "verification/licences/texts", ROOT / "tests/verification/licences/real")
ROUNDS = 5
AIM_RATIO, AIM_KNOWN_MS = 1.6, 0.1
COLD = {
    "identifier": "from licenseclassifier import identify_license; identify_license(text)",
    "gate": "from verification.licences.see import see; see(text.encode())",
}


def files(folders: list[Path]) -> list[bytes]:
    paths = (path for folder in folders for path in sorted(folder.rglob("*")))
    return [path.read_bytes() for path in paths if path.is_file() and path.name not in ("words.txt", "SOURCE.md")]


def milliseconds(works, contents: list[bytes]) -> list[float]:
    """Time per file of each work: all take turns, the best of all rounds but the first, which warms up."""
    rounds = []
    for _ in range(ROUNDS + 1):
        taken = []
        for work in works:
            start = time.process_time()
            for raw in contents:
                work(raw)
            taken.append((time.process_time() - start) * 1000 / len(contents))
        rounds.append(taken)
    return [min(row[n] for row in rounds[1:]) for n in range(len(works))]


def cold(code: str) -> float:
    """Milliseconds of a new interpreter that judges one file, above those of one that does nothing."""
    read = f"text = open({str(ROOT / 'LICENSE')!r}).read(); "

    def took(source: str) -> float:
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", source], check=True, cwd=ROOT)
        return (time.perf_counter() - start) * 1000

    return median(took(read + code) - took(read) for _ in range(ROUNDS))


def main() -> int:
    contents = files([Path(folder) for folder in sys.argv[1:]] or list(FOLDERS))
    bare, gate, known = milliseconds((lambda raw: identify_license(decode(raw)), see.look, see.see), contents)
    size = sum(map(len, contents)) / len(contents) / 1000
    print(f"{len(contents)} files, {size:.1f} kB each")
    print(f"{'identifier alone':<20}{bare:>9.3f} ms a file, cold start {cold(COLD['identifier']):.0f} ms")
    print(f"{'gate':<20}{gate:>9.3f} ms a file, cold start {cold(COLD['gate']):.0f} ms, ratio {gate / bare:.2f}")
    print(f"{'a file seen before':<20}{known:>9.3f} ms a file")
    missed = gate / bare > AIM_RATIO or known > AIM_KNOWN_MS
    print(f"aim: ratio <= {AIM_RATIO}, seen before <= {AIM_KNOWN_MS} ms: {'missed' if missed else 'met'}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
