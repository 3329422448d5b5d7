"""Loading of program editions from `content/<program>/<edition date>.yaml`."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from pathlib import Path

from integrations.programs.consistency import Inconsistency, find_inconsistencies, find_unknown_checks
from integrations.programs.edition_order import find_misplaced_upcoming, find_unknown_renames
from integrations.programs.policy_consistency import find_policy_errors
from integrations.programs.schema import EditionFile, Program
from portal.core.content_files import ContentError, ContentProblem, find_position, load_content

CONTENT = Path(__file__).parent / "content"


def load_programs(content: Path) -> dict[str, Program]:
    """Return every program of a content folder by its key, in the order of the keys.

    Raises:
        ContentError: A file is not valid.
    """
    folders = sorted(folder for folder in content.iterdir() if any(folder.glob("*.yaml")))
    return {folder.name: load_program(folder) for folder in folders}


def load_program(folder: Path) -> Program:
    """Return the program of a folder with its editions, oldest first.

    Raises:
        ContentError: A file is not valid, or names another program or date than its path does.
    """
    paths = sorted(folder.glob("*.yaml"))
    files = [load_edition_file(path) for path in paths]
    # A program is shown as its newest edition describes it, even if that edition is upcoming.
    program = Program(**asdict(files[-1].program), editions=tuple(file.edition for file in files))
    for path, edition in zip(paths, program.editions, strict=True):
        _raise_problems(path, [*find_unknown_renames(program, edition), *find_misplaced_upcoming(program, edition)])
    return program


def load_edition_file(path: Path) -> EditionFile:
    """Return the content of one file.

    Raises:
        ContentError: The file is not valid in itself.
    """
    file = load_content(path, EditionFile)
    _raise_problems(
        path, [*_find_misplacements(path, file), *find_inconsistencies(file), *find_policy_errors(file.edition)]
    )
    return file


def _find_misplacements(path: Path, file: EditionFile) -> Iterator[Inconsistency]:
    """Yield the differences between a file's path and its content."""
    if file.program.key != path.parent.name:
        problem = f"The file is in the folder {path.parent.name!r} but describes the program {file.program.key!r}."
        yield Inconsistency(("program", "key"), problem, "Move the file or correct the key.")
    if file.edition.date != path.stem:
        problem = f"The file is named {path.name!r} but contains the edition of {file.edition.date}."
        yield Inconsistency(("edition", "date"), problem, "Rename the file or correct the date.")


def _raise_problems(path: Path, inconsistencies: Iterable[Inconsistency]) -> None:
    problems = [
        ContentProblem(path, find_position(path, each.location), each.location, each.problem, each.fix)
        for each in inconsistencies
    ]
    if problems:
        raise ContentError(problems)


def require_known_checks(programs: Mapping[str, Program], keys: Iterable[str], content: Path = CONTENT) -> None:
    """Raise for editions that refer to unknown checks.

    Checks are code of a higher layer and are not registered while editions are loaded. Their package calls this
    function after their registration.

    Raises:
        ContentError: A requirement names an unknown check.
    """
    # Checks are code of a higher layer, so their package calls this after it has registered all of them.
    known_keys = sorted(keys)
    for key, program in programs.items():
        for edition in program.editions:
            _raise_problems(content / key / f"{edition.date}.yaml", find_unknown_checks(edition, known_keys))
