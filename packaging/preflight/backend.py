"""PEP 517 backend of portal-preflight, which builds one package from the portal's sources.

It copies the modules that the command reaches into a temporary project, places them below `portal_preflight`, rewrites
their imports, and has flit build that project. Lines keep their numbers, so tracebacks fit the portal's sources.
"""

import ast
import shutil
from collections.abc import Iterator
from contextlib import chdir, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from flit_core import buildapi

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PACKAGE = "portal_preflight"
SOURCE_PACKAGES = ("integrations", "portal", "verification")
ENTRY_MODULES = (
    "verification.preflight.cli",
    # their package imports them by listing its folder
    *(f"verification.checks.rules.{path.stem}" for path in ROOT.glob("verification/checks/rules/*.py")),
)
# The checks use Django for settings and messages alone. They must not depend on all of it.
REPLACED_MODULES = {"django.conf": f"{PACKAGE}.settings", "django.utils.translation": "gettext"}
DATA_FOLDERS = ("content", "data")


def build_wheel(wheel_directory: str, config_settings: object = None, metadata_directory: str | None = None) -> str:
    target = Path(wheel_directory).resolve()
    with enter_project():
        return str(buildapi.build_wheel(target))


def build_sdist(sdist_directory: str, config_settings: object = None) -> str:
    """Build an archive that is an ordinary flit project and doesn't need the portal's repository."""
    target = Path(sdist_directory).resolve()
    with enter_project():
        return str(buildapi.build_sdist(target))


@contextmanager
def enter_project() -> Iterator[None]:
    """Write the project to a temporary folder and make it the current one, as flit expects."""
    with TemporaryDirectory() as folder:
        write_project(Path(folder))
        with chdir(folder):
            yield


def write_project(folder: Path) -> None:
    own_backend = 'build-backend = "backend"\nbackend-path = ["."]\n'
    pyproject = (HERE / "pyproject.toml").read_text(encoding="utf-8")
    if own_backend not in pyproject:
        raise ValueError("pyproject.toml doesn't name this backend.")
    pyproject = pyproject.replace(own_backend, 'build-backend = "flit_core.buildapi"\n')
    (folder / "pyproject.toml").write_text(pyproject, encoding="utf-8")
    for path in (HERE / "README.md", ROOT / "LICENSE", ROOT / "NOTICE"):
        shutil.copy(path, folder)
    package = folder / PACKAGE
    package.mkdir()
    (package / "__init__.py").write_text('"""The portal\'s checks as a command."""\n', encoding="utf-8")
    shutil.copy(HERE / "settings.py", package)
    for source in sorted(find_sources()):
        target = package / source.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(rewrite_imports(source), encoding="utf-8")
        copy_data(source.parent, target.parent)


def find_sources() -> set[Path]:
    """Return the files of all modules that the entry modules import, directly or not, with their packages."""
    pending = list(ENTRY_MODULES)
    sources = set()
    while pending:
        module = pending.pop()
        source = find_source(module)
        if source is None or source in sources:
            continue
        sources.add(source)
        pending.append(module.rpartition(".")[0])
        for _, imported, names in list_source_imports(source):
            pending += [imported, *(f"{imported}.{name}" for name in names)]
    return sources


def find_source(module: str) -> Path | None:
    path = ROOT.joinpath(*module.split("."))
    candidates = (path.with_suffix(".py"), path / "__init__.py")
    return next((candidate for candidate in candidates if module and candidate.is_file()), None)


def list_source_imports(source: Path) -> list[tuple[int, str, list[str]]]:
    """Return the imports of modules that are copied or replaced: line, module, and names.

    Raises:
        ValueError: A statement has a form that can't be followed or rewritten.
    """
    imports = []
    for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import) and any(get_target(alias.name) != alias.name for alias in node.names):
            raise ValueError(f"{source}:{node.lineno}: use “from PACKAGE import MODULE” in modules of preflight.")
        if isinstance(node, ast.ImportFrom):
            if node.level or not node.module:
                raise ValueError(f"{source}:{node.lineno}: use absolute imports in modules of preflight.")
            if get_target(node.module) != node.module:
                imports.append((node.lineno, node.module, [alias.name for alias in node.names]))
    return imports


def get_target(module: str) -> str:
    """Return the name of a module inside the package, or the same name for modules of other distributions."""
    if module.partition(".")[0] in SOURCE_PACKAGES:
        return f"{PACKAGE}.{module}"
    return REPLACED_MODULES.get(module, module)


def rewrite_imports(source: Path) -> str:
    lines = source.read_text(encoding="utf-8").splitlines(keepends=True)
    for number, module, _ in list_source_imports(source):
        lines[number - 1] = lines[number - 1].replace(f"from {module} ", f"from {get_target(module)} ", 1)
    return "".join(lines)


def copy_data(source: Path, target: Path) -> None:
    """Copy what the modules of a folder read: its files that aren't Python, and its data folders."""
    for path in source.iterdir():
        if path.name in DATA_FOLDERS:
            shutil.copytree(path, target / path.name, dirs_exist_ok=True)
        elif path.is_file() and path.suffix not in {".py", ".pyc"}:
            shutil.copy(path, target)
