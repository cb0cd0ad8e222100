"""Names that a Python program uses and nowhere defines: F821, F822 and F831 of the usual checkers.

Rather silent than wrong. The order of statements is not followed: what is bound anywhere in a scope
counts as bound.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable

# Line, column (from 1), code, text.
Problem = tuple[int, int, str, str]

_ALWAYS_THERE = frozenset(dir(builtins)) | frozenset(
    [
        "__file__",
        "__name__",
        "__path__",
        "__spec__",
        "__loader__",
        "__package__",
        "__doc__",
        "__builtins__",
        "__annotations__",
        "__debug__",
        "__class__",
        "__module__",
        "__qualname__",
        "__firstlineno__",
        "__dict__",
        "__classdict__",
        "WindowsError",
    ]
)


class _Scope:
    def __init__(self, kind: str, parent: _Scope | None) -> None:
        self.kind = kind
        self.parent = parent
        self.bound: set[str] = set()
        self.global_names: set[str] = set()
        self.uses: list[ast.Name] = []

    def sees(self, name: str) -> bool:
        if name in self.bound:
            return True
        scope = self.parent
        while scope is not None:
            # What a class binds is not seen from its methods.
            if scope.kind != "class" and name in scope.bound:
                return True
            # A comprehension in a class: its outermost part does see the class.
            if scope.kind == "class" and self.kind == "comprehension" and name in scope.bound:
                return True
            scope = scope.parent
        return False


class _Reader:
    def __init__(self) -> None:
        self.module = _Scope("module", None)
        self.scopes = [self.module]
        self.star_import = False
        self.runs_other_code = False
        self.problems: list[Problem] = []
        self.exports: dict[str, ast.Constant] = {}
        # Depth of `try` blocks that expect a NameError.
        self._guarded = 0

    def _scope(self, kind: str, parent: _Scope) -> _Scope:
        scope = _Scope(kind, parent)
        self.scopes.append(scope)
        return scope

    def _bind(self, name: str, scope: _Scope) -> None:
        if name in scope.global_names:
            self.module.bound.add(name)
        else:
            scope.bound.add(name)

    def visit_all(self, nodes: Iterable[ast.AST | None], scope: _Scope) -> None:
        for node in nodes:
            if node is not None:
                self.visit(node, scope)

    def visit(self, node: ast.AST, scope: _Scope) -> None:
        handler = getattr(self, f"_{type(node).__name__}", None)
        if handler is not None:
            handler(node, scope)
        else:
            self.visit_all(ast.iter_child_nodes(node), scope)

    # Names

    def _Name(self, node: ast.Name, scope: _Scope) -> None:
        if not isinstance(node.ctx, ast.Load):
            self._bind(node.id, scope)
        elif self._guarded == 0:
            scope.uses.append(node)

    def _NamedExpr(self, node: ast.NamedExpr, scope: _Scope) -> None:
        self.visit(node.value, scope)
        holder = scope
        while holder.kind == "comprehension" and holder.parent is not None:
            holder = holder.parent
        self._bind(node.target.id, holder)

    def _Global(self, node: ast.Global, scope: _Scope) -> None:
        scope.global_names.update(node.names)
        self.module.bound.update(node.names)

    def _Import(self, node: ast.Import, scope: _Scope) -> None:
        for alias in node.names:
            self._bind(alias.asname or alias.name.split(".")[0], scope)

    def _ImportFrom(self, node: ast.ImportFrom, scope: _Scope) -> None:
        for alias in node.names:
            if alias.name == "*":
                self.star_import = True
            else:
                self._bind(alias.asname or alias.name, scope)

    def _ExceptHandler(self, node: ast.ExceptHandler, scope: _Scope) -> None:
        if node.name:
            self._bind(node.name, scope)
        self.visit_all(ast.iter_child_nodes(node), scope)

    def _pattern(self, node: ast.AST, scope: _Scope) -> None:
        name = getattr(node, "name", None) or getattr(node, "rest", None)
        if name:
            self._bind(name, scope)
        self.visit_all(ast.iter_child_nodes(node), scope)

    _MatchAs = _MatchStar = _MatchMapping = _TypeVar = _ParamSpec = _TypeVarTuple = _pattern

    # Scopes

    def _parameters(self, node: ast.AST, scope: _Scope) -> _Scope:
        """Where the parameters of `def f[T]` and the like are seen."""
        parameters = getattr(node, "type_params", None)
        if not parameters:
            return scope
        inner = self._scope("parameters", scope)
        self.visit_all(parameters, inner)
        return inner

    def _arguments(self, arguments: ast.arguments, outer: _Scope, inner: _Scope) -> None:
        self.visit_all([*arguments.defaults, *arguments.kw_defaults], outer)
        every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        every += [extra for extra in (arguments.vararg, arguments.kwarg) if extra is not None]
        for argument in every:
            if argument.annotation is not None:
                self.visit(argument.annotation, outer)
            if argument.arg in inner.bound:
                text = f"duplicate argument '{argument.arg}' in function definition"
                self.problems.append((argument.lineno, argument.col_offset + 1, "F831", text))
            inner.bound.add(argument.arg)

    def _FunctionDef(self, node: ast.FunctionDef, scope: _Scope) -> None:
        self._bind(node.name, scope)
        self.visit_all(node.decorator_list, scope)
        outer = self._parameters(node, scope)
        inner = self._scope("function", outer)
        self._arguments(node.args, outer, inner)
        if node.returns is not None:
            self.visit(node.returns, outer)
        # Its body runs at another time: what is expected around the definition says nothing about
        # it.
        guarded, self._guarded = self._guarded, 0
        self.visit_all(node.body, inner)
        self._guarded = guarded

    _AsyncFunctionDef = _FunctionDef

    def _Lambda(self, node: ast.Lambda, scope: _Scope) -> None:
        inner = self._scope("function", scope)
        self._arguments(node.args, scope, inner)
        self.visit(node.body, inner)

    def _ClassDef(self, node: ast.ClassDef, scope: _Scope) -> None:
        self._bind(node.name, scope)
        self.visit_all(node.decorator_list, scope)
        outer = self._parameters(node, scope)
        self.visit_all([*node.bases, *node.keywords], outer)
        self.visit_all(node.body, self._scope("class", outer))

    def _TypeAlias(self, node: ast.AST, scope: _Scope) -> None:
        inner = self._parameters(node, scope)
        for part in ast.iter_child_nodes(node):
            self.visit(
                part,
                scope if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store) else inner,
            )

    def _comprehension(
        self, node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp, scope: _Scope
    ) -> None:
        self.visit(node.generators[0].iter, scope)
        inner = self._scope("comprehension", scope)
        for index, generator in enumerate(node.generators):
            if index > 0:
                self.visit(generator.iter, inner)
            self.visit(generator.target, inner)
            self.visit_all(generator.ifs, inner)
        if isinstance(node, ast.DictComp):
            self.visit_all([node.key, node.value], inner)
        else:
            self.visit(node.elt, inner)

    _ListComp = _SetComp = _DictComp = _GeneratorExp = _comprehension

    # What changes the rules

    def _Try(self, node: ast.Try, scope: _Scope) -> None:
        expected = any(
            handler.type is None or "NameError" in ast.dump(handler.type)
            for handler in node.handlers
        )
        self._guarded += expected
        self.visit_all(node.body, scope)
        self._guarded -= expected
        self.visit_all([*node.handlers, *node.orelse, *node.finalbody], scope)

    _TryStar = _Try

    def _Call(self, node: ast.Call, scope: _Scope) -> None:
        if isinstance(node.func, ast.Name) and node.func.id in ("exec", "globals"):
            self.runs_other_code = True
        # vars().update(...), which in a module are its names.
        inside = node.func.value if isinstance(node.func, ast.Attribute) else None
        self._watch_namespace(inside)
        self.visit_all(ast.iter_child_nodes(node), scope)

    def _Subscript(self, node: ast.Subscript, scope: _Scope) -> None:
        if isinstance(node.ctx, ast.Store):
            self._watch_namespace(node.value)
        self.visit_all(ast.iter_child_nodes(node), scope)

    def _watch_namespace(self, node: ast.AST | None) -> None:
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in ("vars", "locals")
        ):
            self.runs_other_code = True

    def _Assign(self, node: ast.Assign, scope: _Scope) -> None:
        for target in node.targets:
            if scope is self.module and isinstance(target, ast.Name) and target.id == "__all__":
                self._export(node.value)
        self.visit_all(ast.iter_child_nodes(node), scope)

    def _export(self, value: ast.AST) -> None:
        for element in value.elts if isinstance(value, (ast.List, ast.Tuple)) else ():
            if isinstance(element, ast.Constant) and isinstance(element.value, str):
                self.exports.setdefault(element.value, element)


def problems(tree: ast.AST, file_name: str) -> list[Problem]:
    """By line and column. Raises RecursionError for code that is nested too deeply to follow."""
    reader = _Reader()
    reader.visit(tree, reader.module)
    found = reader.problems
    if not reader.star_import and not reader.runs_other_code:
        for scope in reader.scopes:
            for use in scope.uses:
                if use.id not in _ALWAYS_THERE and not scope.sees(use.id):
                    found.append(
                        (use.lineno, use.col_offset + 1, "F821", f"undefined name '{use.id}'")
                    )
        # A package may export its modules, and `__getattr__` anything.
        if file_name != "__init__.py" and "__getattr__" not in reader.module.bound:
            for name, node in reader.exports.items():
                if name not in reader.module.bound and name not in _ALWAYS_THERE:
                    found.append(
                        (
                            node.lineno,
                            node.col_offset + 1,
                            "F822",
                            f"undefined name '{name}' in __all__",
                        )
                    )
    return sorted(found)
