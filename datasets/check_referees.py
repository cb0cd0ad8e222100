"""Reads referees as syntax trees, and says which of their names do not exist. Runs nothing of a task.

Standard input: a JSON list of paths. Standard output: per path a list of [line, message].
"""

from __future__ import annotations

import ast
import builtins
import json
import pathlib
import sys

BENCH_TASKS = pathlib.Path(__file__).parent.parent / "images" / "evaluator" / "bench_tasks"
IMPLICIT = {"__file__", "__name__", "__doc__", "__builtins__", "__spec__", "__package__"}

Problem = tuple[int, str]


def main() -> None:
    print(json.dumps([problems(pathlib.Path(path)) for path in json.load(sys.stdin)]))


def problems(path: pathlib.Path) -> list[Problem]:
    try:
        tree = ast.parse(path.read_bytes(), str(path))
    except SyntaxError as error:
        # An older Python than the evaluator's does not know all of its syntax.
        if sys.version_info < (3, 11):
            return []
        return [(error.lineno or 1, f"is not Python: {error.msg}")]
    except ValueError as error:
        return [(1, f"is not Python: {error}")]
    found = [*missing_imports(tree), *unknown_names(tree)]
    if "evaluate" not in bound_names(tree):
        found.append((1, "defines no evaluate(), which the evaluator calls"))
    return sorted(set(found))


def missing_imports(tree: ast.Module) -> list[Problem]:
    """Names that bench_tasks does not have."""
    found: list[Problem] = []
    for node in ast.walk(tree):
        if not isinstance(node, ast.ImportFrom) or node.level > 0 or node.module is None:
            continue
        package, _, module = node.module.partition(".")
        if package != "bench_tasks":
            continue
        if tree_of(module) is None:
            message = f"there is no module {node.module}; there are {', '.join(modules())}"
            found.append((node.lineno, message))
            continue
        known, public = names_of(module)
        found.extend(
            (node.lineno, f"{node.module} has no {alias.name}; it has {', '.join(public)}")
            for alias in node.names
            if alias.name != "*" and alias.name not in known
        )
    return found


def unknown_names(tree: ast.Module) -> list[Problem]:
    """Names that nothing in the file binds."""
    if any(
        isinstance(node, ast.ImportFrom) and node.names[0].name == "*" for node in ast.walk(tree)
    ):
        return []
    known = bound_names(tree) | set(dir(builtins)) | IMPLICIT
    return [
        (node.lineno, f"{node.id} is neither defined nor imported")
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id not in known
    ]


def bound_names(tree: ast.Module) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            names.add(node.id)
        elif isinstance(node, ast.arg):
            names.add(node.arg)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            names.update((alias.asname or alias.name).partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ExceptHandler) and node.name is not None:
            names.add(node.name)
        else:
            # Patterns of `match`, which Python 3.9 has no classes for.
            name = getattr(node, "name", None) or getattr(node, "rest", None)
            if isinstance(name, str) and not isinstance(node, ast.alias):
                names.add(name)
    return names


def names_of(module: str) -> tuple[set[str], list[str]]:
    """What a module of bench_tasks binds, and what it defines for referees."""
    tree = tree_of(module)
    if module == "" or tree is None:
        return set(modules()), modules()
    defined = [node.name for node in tree.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))]
    return bound_names(tree), [name for name in defined if not name.startswith("_")]


def tree_of(module: str) -> ast.Module | None:
    if module == "":
        return ast.Module([], [])
    path = BENCH_TASKS.joinpath(*module.split(".")).with_suffix(".py")
    return ast.parse(path.read_bytes()) if path.is_file() else None


def modules() -> list[str]:
    return sorted(path.stem for path in BENCH_TASKS.glob("*.py") if path.stem != "__init__")


if __name__ == "__main__":
    main()
