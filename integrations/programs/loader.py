"""Loading of program editions from `content/<program>/<edition date>.yaml`."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from pathlib import Path

from integrations.programs.consistency import Inconsistency, find_inconsistencies, find_unknown_checks
from integrations.programs.policy_consistency import find_policy_errors
from integrations.programs.schema import Edition, EditionFile, Program
from portal.core.content_errors import ContentError, ContentProblem, Location, find_position
from portal.core.content_files import load_content

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
        _raise_problems(path, [*_find_unknown_renames(program, edition), *_find_misplaced_upcoming(program, edition)])
    return program


def _find_unknown_renames(program: Program, edition: Edition) -> Iterator[Inconsistency]:
    """Yield the invalid entries of `renames`, which must map an older edition to this one."""
    for date, names in edition.renames.items():
        location: Location = ("edition", "renames", date)
        # An older edition can't know the names of a newer one.
        if date not in program.by_date or date >= edition.date:
            yield Inconsistency(location, "No older edition has this date.", "Use the date of an older edition.")
            continue
        older = _collect_names(program.by_date[date])
        newer = _collect_names(edition)
        for old, new in names.items():
            if old not in older:
                yield Inconsistency(
                    (*location, old), f"{old!r} is not in the edition of {date}.", "Correct the old key."
                )
            if new not in newer:
                yield Inconsistency((*location, old), f"{new!r} is not in this edition.", "Correct the new key.")


def _find_misplaced_upcoming(program: Program, edition: Edition) -> Iterator[Inconsistency]:
    """Yield a violation if the edition is not upcoming but an older one is, or if all editions are upcoming."""
    older = [each for each in program.editions if each.date < edition.date]
    # This one would be in force, and the older one would stay upcoming.
    if not edition.upcoming and any(each.upcoming for each in older):
        yield Inconsistency(("edition",), "An older edition is upcoming.", "Set `upcoming: true` here too.")
    if edition.upcoming and not any(not each.upcoming for each in older):
        yield Inconsistency(("edition", "upcoming"), "No older edition is in force.", "Remove `upcoming`.")


def _collect_names(edition: Edition) -> set[str]:
    return {
        *(requirement.id for requirement in edition.list_requirements()),
        *(step.key for step in edition.steps),
        *(category.key for category in edition.categories),
        *edition.offerings,
    }


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
    known_keys = sorted(keys)
    for key, program in programs.items():
        for edition in program.editions:
            _raise_problems(content / key / f"{edition.date}.yaml", find_unknown_checks(edition, known_keys))
