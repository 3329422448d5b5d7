"""Run the RUN lines of the container file that need no container, in a scratch folder.

python -m tests.deploy.run_lines: downloads the locked packages, so bin/test doesn't run it.
"""

import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CONTAINER = ROOT / "deploy" / "Containerfile"
SKIP_REASONS = {
    "apt-get": "installs a package of the machine",
    "useradd": "makes a user of the machine",
}


@dataclass(frozen=True, slots=True)
class RunLine:
    """RUN line: its command on one line, the environment of its stage, and why it can't run here (or blank)."""

    command: str
    environment: dict[str, str]
    skip_reason: str


def list_run_lines(text: str) -> Iterator[RunLine]:
    """Return every RUN line with the ENV settings above it in its stage."""
    environment: dict[str, str] = {}
    joined_text = re.sub(r"\\\n\s*", " ", re.sub(r"^#.*\n", "", text, flags=re.MULTILINE))
    for line in joined_text.splitlines():
        word, _, rest = line.partition(" ")
        if word == "FROM":
            environment = {}
        elif word == "ENV":
            environment |= dict(pair.split("=", 1) for pair in rest.split())
        elif word == "RUN":
            skip_reason = next((why for tool, why in SKIP_REASONS.items() if rest.startswith(tool)), "")
            yield RunLine(rest, dict(environment), skip_reason)


def map_to_scratch(text: str, scratch: Path) -> str:
    """Replace the image's folders in a command or setting by those in the scratch folder."""
    return re.sub(r"(?<![\w/.])/(opt/portal|app|data|tmp/build)\b", rf"{scratch}/\1", text)


def create_image_folders(scratch: Path) -> None:
    """Create the image's folders with the files that COPY adds."""
    for folder in ("opt", "data", "tmp"):
        (scratch / folder).mkdir()
    (scratch / "app").symlink_to(ROOT, target_is_directory=True)


def run(line: RunLine, scratch: Path) -> tuple[int, str]:
    """Run one line as the image would. Return its exit code and its last output."""
    base = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(scratch)}
    environment = {
        key: map_to_scratch(value, scratch).replace("$PATH", base["PATH"]) for key, value in line.environment.items()
    }
    if "STATIC_ROOT" in environment:
        environment["STATIC_ROOT"] = str(scratch / "collected")  # not into the clone
    process = subprocess.run(
        ["/bin/sh", "-c", map_to_scratch(line.command, scratch)],
        cwd=ROOT,
        env=base | environment,
        capture_output=True,
        text=True,
    )
    return process.returncode, (process.stderr or process.stdout).strip()[-2000:]


def main() -> int:
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        create_image_folders(scratch)
        for line in list_run_lines(CONTAINER.read_text()):
            begin = time.monotonic()
            if line.skip_reason:
                print(f"- not run, {line.skip_reason}: {line.command[:90]}")
                continue
            code, output = run(line, scratch)
            failed += code != 0
            print(f"{'✗' if code else '✓'} {time.monotonic() - begin:4.0f} s: {line.command[:90]}")
            if code:
                print(output)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
