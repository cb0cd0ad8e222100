"""Which files of a workspace a program imports, directly or through others, and which packages.

Nothing is run.

stdin: [{"files": {path in the workspace: path on this machine}, "entry": "evaluate.py"}]

stdout: for each {"local": [paths in the workspace], "packages": [top-level modules],
"problem": text or null}
"""

from __future__ import annotations

import ast
import json
import os
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from typing import Any


def main() -> None:
    print(json.dumps([scan(each["files"], each["entry"]) for each in json.load(sys.stdin)]))


def scan(files: dict[str, str], entry: str) -> dict[str, Any]:
    local: set[str] = set()
    packages: set[str] = set()
    waiting = [entry]
    while waiting:
        path = waiting.pop()
        if path in local:
            continue
        local.add(path)
        try:
            with open(files[path], "rb") as file:
                tree = ast.parse(file.read(), path)
        except (SyntaxError, ValueError, OSError) as error:
            return {
                "local": sorted(local),
                "packages": sorted(packages),
                "problem": f"{path}: {error}",
            }
        for names in imported(tree, path):
            found = [name for name in names if name in files]
            waiting += found
            top = names[0].split("/")[0]
            if not found and not in_workspace(top, files) and top not in STANDARD:
                packages.add(top)
    return {"local": sorted(local - {entry}), "packages": sorted(packages), "problem": None}


def imported(tree: ast.AST, path: str) -> Iterator[list[str]]:
    """For each import the files that it may mean; the first one begins with the top-level module's
    name.
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield places(alias.name)
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            if node.level:
                base = path.split("/")[: -node.level]
                module = ".".join(base + ([module] if module else []))
            for alias in node.names:
                yield (
                    places(module + "." + alias.name) + places(module)
                    if module
                    else places(alias.name)
                )


def places(module: str) -> list[str]:
    """a.b.c: a/b/c.py, a/b/c/__init__.py, and what is imported on the way there."""
    parts = module.split(".")
    found = [parts[0] + "/"]
    for length in range(len(parts), 0, -1):
        path = "/".join(parts[:length])
        found += [path + ".py", path + "/__init__.py"]
    return found


def in_workspace(top: str, files: Iterable[str]) -> bool:
    return any(path == top + ".py" or path.startswith(top + "/") for path in files)


def standard_library() -> set[str]:
    names = getattr(sys, "stdlib_module_names", None)  # since Python 3.10
    if names is not None:
        return set(names)
    folder = sysconfig.get_paths()["stdlib"]
    return (
        set(sys.builtin_module_names)
        | {name.split(".")[0] for name in os.listdir(folder)}
        | {"time", "math"}
    )


STANDARD = standard_library() | {"__future__"}

if __name__ == "__main__":
    main()
