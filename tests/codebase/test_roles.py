"""Tests that one service writes roles: no other module assigns their columns."""

import ast

from tests.codebase.project_files import list_files, relative_name

COLUMNS = {
    "is_reviewer",
    "is_staff",
    "is_superuser",
    "is_auditor",
    "program_roles",
    "is_active",
    "groups",
    "user_permissions",
}
# with the reason for each exception
EXCEPTIONS = {
    "portal/accounts/models.py": "creates an account",
    "portal/demo/loader.py": "creates the people of the demonstration",
    "portal/accounts/roles.py": "is the service",
}


def find_role_writes(tree: ast.AST) -> list[int]:
    """Return the lines that assign a role or pass one to a method that writes it."""
    line_numbers = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            line_numbers += [
                node.lineno for each in targets if isinstance(each, ast.Attribute) and each.attr in COLUMNS
            ]
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            writer = node.func.attr in {"update", "create", "create_user", "update_or_create", "set_password"}
            if writer and (COLUMNS & {each.arg for each in node.keywords} or node.func.attr == "set_password"):
                line_numbers.append(node.lineno)
    return line_numbers


def test_only_the_service_writes_roles_and_no_module_sets_a_password():
    sources = {relative_name(path): path for path in list_files("*.py") if not relative_name(path).startswith("tests/")}
    writes_by_path = {
        path: find_role_writes(ast.parse(file.read_text())) for path, file in sources.items() if path not in EXCEPTIONS
    }
    assert {path: lines for path, lines in writes_by_path.items() if lines} == {}
