"""Files of the project: tracked by Git, or new and not ignored."""

import re
import subprocess
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@cache
def list_files(*patterns: str) -> tuple[Path, ...]:
    """Return the project's files that match Git patterns, sorted."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *patterns]
    names = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")
    return tuple(sorted({ROOT / name for name in names if name and (ROOT / name).is_file()}))


def relative_name(path: Path) -> str:
    """Return a file's path relative to the project."""
    return path.relative_to(ROOT).as_posix()


def list_template_files() -> tuple[Path, ...]:
    """Return the templates of apps, of components, and in templates/."""
    patterns = ("templates/*", "*/templates/*", "*/jinja2/*")
    return tuple(path for path in list_files(*patterns) if path.suffix in {".html", ".md", ".svg", ".txt"})


def get_template_name(path: Path) -> str:
    """Return the name by which Django or Jinja2 finds a template."""
    return re.split(r"(?:^|/)(?:templates|jinja2)/", relative_name(path), maxsplit=1)[1]
