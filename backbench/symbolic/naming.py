"""Gives names to expressions that are used more than once, so that each is written and computed once.

Equal subexpressions are found by numbering each distinct node once, from the leaves up (hash-consing): time and memory
are linear in the number of nodes, and nothing is compared, sorted or evaluated. Source of the technique: A. P. Ershov,
"On programming of arithmetic operations", Communications of the ACM 1(8), 1958, doi 10.1145/368892.368907.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Sequence

import sympy
from sympy import Add, Basic, Pow, S, Symbol, exp
from sympy.core.operations import AssocOp, LatticeOp
from sympy.functions.elementary.miscellaneous import MinMaxBase
from sympy.functions.elementary.piecewise import ExprCondPair

from ..backend.sympy_nodes import Maximum, Minimum
from .patterns import is_negation, is_reciprocal, match_stable
from .program import Assignment, Block

DEEPEST = 20
"""Expressions nested deeper than this get names on the way: Python's parser and SymPy's printers have limits."""


_BASES = {Maximum: "m", Minimum: "m", sympy.Max: "m", sympy.Min: "m", exp: "e", Add: "s"}
"""First letters of names by the kind of the expression; differences are d, all others t."""


def name_shared(expressions: Sequence[Basic], known: Collection[Symbol]) -> tuple[tuple[Block, ...], tuple[Basic, ...]]:
    """Cuts expressions into assignments.

    Args:
        expressions: Any expressions; nothing in them is evaluated or reordered.
        known: The symbols that may be in them. New symbols have other names.

    Returns:
        The assignments in the order of computation, and the expressions written with their symbols. Assignments in a
        block are of one kind and do not depend on each other.

    Raises:
        ValueError: For symbols that are not known.
    """
    graph = _Graph()
    roots = [graph.add(expression) for expression in expressions]
    unknown = {node for node in graph.nodes if isinstance(node, Symbol)}.difference(known)
    if unknown:
        names = ", ".join(sorted(symbol.name for symbol in unknown))
        raise ValueError(
            f"The expressions contain symbols that are no inputs: {names}. Add them to the inputs, or put numbers in."
        )
    named = graph.shared_or_deep(roots)
    level = graph.levels(named)
    groups: dict[tuple[int, str], list[int]] = {}
    for number in named:
        groups.setdefault((level[number], _base(graph.nodes[number])), []).append(number)
    ordered = sorted(groups.items(), key=lambda group: group[0][0])
    symbols = _symbols(ordered, {symbol.name for symbol in known})
    written = graph.written_with(symbols)
    blocks = tuple(
        Block(base, tuple(Assignment(symbols[number], written[number]) for number in numbers))
        for (_, base), numbers in ordered
    )
    return blocks, tuple(symbols.get(root, written[root]) for root in roots)


def operands(expression: Basic) -> tuple[Basic, ...]:
    """The parts of an expression that are computed before it."""
    stable = match_stable(expression)
    return expression.args if stable is None else (stable.operand,)


def _stable_name(expression: Basic) -> str | None:
    stable = match_stable(expression)
    return None if stable is None else stable.name


class _Graph:
    """All distinct nodes of some expressions, operands before what is made of them."""

    def __init__(self) -> None:
        self.nodes: list[Basic] = []
        self.operands: list[tuple[int, ...]] = []
        self._number_of_object: dict[int, int] = {}
        self._number_of_structure: dict[tuple, int] = {}

    def add(self, expression: Basic) -> int:
        """The number of an expression; its parts are numbered first. No recursion, however deep it is."""
        numbers = self._number_of_object
        waiting: list[tuple[Basic, tuple[Basic, ...] | None]] = [(expression, None)]
        while waiting:
            node, parts = waiting.pop()
            if id(node) in numbers:
                continue
            if parts is None:
                parts = operands(node)
                missing = [(part, None) for part in reversed(parts) if id(part) not in numbers]
                if missing:
                    waiting.append((node, parts))
                    waiting.extend(missing)
                    continue
            numbers[id(node)] = self._number(node, tuple([numbers[id(part)] for part in parts]))
        return numbers[id(expression)]

    def _number(self, node: Basic, parts: tuple[int, ...]) -> int:
        # Atoms are known by their value, other nodes by their type and their operands. That an expression is stable is
        # part of its type: log(1 + u) has the operand u as log(u) has.
        key = (type(node), _stable_name(node), parts) if parts else (type(node), node)
        number = self._number_of_structure.setdefault(key, len(self.nodes))
        if number == len(self.nodes):
            self.nodes.append(node)
            self.operands.append(parts)
        return number

    def shared_or_deep(self, roots: Sequence[int]) -> list[int]:
        """The numbers of the nodes that get names."""
        uses = [0] * len(self.nodes)
        for root in roots:
            uses[root] += 1
        for number in reversed(range(len(self.nodes))):
            # -u and 1/u are written in place, as part of a - b and a / b: whoever uses them uses u
            passed_on = uses[number] if _is_written_in_place(self.nodes[number]) else 1
            for part in self.operands[number]:
                uses[part] += passed_on
        named = []
        depth = [0] * len(self.nodes)
        for number, node in enumerate(self.nodes):
            parts = self.operands[number]
            if not parts or isinstance(node, ExprCondPair):
                depth[number] = max((depth[part] for part in parts), default=0)
                continue
            depth[number] = 1 + max(depth[part] for part in parts)
            if depth[number] > DEEPEST or (uses[number] > 1 and not _is_written_in_place(node)):
                named.append(number)
                depth[number] = 0
        return named

    def levels(self, named: Iterable[int]) -> list[int]:
        """For each node how many assignments at least come one after the other up to it."""
        level = [0] * len(self.nodes)
        is_named = set(named)
        for number, parts in enumerate(self.operands):
            level[number] = max((level[part] for part in parts), default=0) + (number in is_named)
        return level

    def written_with(self, symbols: dict[int, Symbol]) -> list[Basic]:
        """Each node with the named ones below it replaced by their symbols."""
        written: list[Basic] = []
        for node, numbers in zip(self.nodes, self.operands, strict=True):
            parts = [symbols.get(number, written[number]) for number in numbers]
            unchanged = all(part is self.nodes[number] for part, number in zip(parts, numbers, strict=True))
            written.append(node if unchanged else _rebuild(node, parts))
        return written


def _is_written_in_place(node: Basic) -> bool:
    return is_negation(node) or is_reciprocal(node) or isinstance(node, ExprCondPair)


def _base(node: Basic) -> str:
    if type(node) is Add and len(node.args) == 2 and any(map(is_negation, node.args)):
        return "d"
    return _BASES.get(type(node), "t")


def _symbols(groups: Iterable[tuple[tuple[int, str], list[int]]], taken: set[str]) -> dict[int, Symbol]:
    """Symbols m, e_0, e_1, ... for numbered nodes; letters are doubled where a name is taken."""
    numbers_of: dict[str, list[int]] = {}
    for (_, base), numbers in groups:
        numbers_of.setdefault(base, []).extend(numbers)
    symbols: dict[int, Symbol] = {}
    for base, numbers in numbers_of.items():
        for letters in (base * count for count in itertools.count(1)):
            names = [letters] if len(numbers) == 1 else [f"{letters}_{i}" for i in range(len(numbers))]
            if taken.isdisjoint(names):
                break
        symbols.update(zip(numbers, map(Symbol, names), strict=True))
        taken.update(names)
    return symbols


def _rebuild(node: Basic, parts: Sequence[Basic]) -> Basic:
    """The node with other operands (see `operands`), not evaluated."""
    stable = match_stable(node)
    if stable is None:
        return rebuilt(node, parts)
    if type(node) is Add:  # exp(u) - 1
        return rebuilt(node, [rebuilt(term, parts) if type(term) is exp else term for term in node.args])
    terms = node.args[0].args
    rest = [rebuilt(term, parts) if stable.name == "softplus" else parts[0] for term in terms if term is not S.One][:1]
    return rebuilt(node, [rebuilt(node.args[0], [S.One, *rest] if terms[0] is S.One else [*rest, S.One])])


def rebuilt(node: Basic, args: Sequence[Basic]) -> Basic:
    """A node of the same kind with other arguments, not evaluated."""
    new = Basic.__new__(type(node), *args)
    if isinstance(node, AssocOp | Pow):
        new.is_commutative = node.is_commutative
    if isinstance(node, LatticeOp | MinMaxBase):
        new._argset = frozenset(args)
    return new
