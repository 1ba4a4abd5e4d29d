"""Limits in groups that bear on each other, and which of them may bind a profile at all."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from pretreat.limits import facts as fa
from pretreat.limits.profiles import Profile
from pretreat.limits.provisions import Limit, Limits


@dataclass(frozen=True, slots=True)
class Part:
    """Limits that bear on each other: of one thing, or one standing in place of another.

    `keys` tells which are of one thing, `above` which rows stand in place of each.
    """

    rows: tuple[int, ...]
    keys: Mapping[int, int]
    above: Mapping[int, tuple[int, ...]]


def components(limits: Limits) -> list[Part]:
    """Return the limits in groups that can be resolved one by one.

    Examples
    --------
    >>> components(Limits(()))
    []
    """
    rows = limits.rows
    parent = list(range(len(rows)))

    def root(n: int) -> int:
        while parent[n] != n:
            parent[n] = parent[parent[n]]
            n = parent[n]
        return n

    keys: dict[tuple[object, ...], int] = {}
    key_of = [keys.setdefault(thing(limit), n) for n, limit in enumerate(rows)]
    named: dict[str, list[int]] = {}
    for n, limit in enumerate(rows):
        for name in dict.fromkeys((limit.id, limit.key)):
            named.setdefault(f"{limit.pack}: {name}", []).append(n)
    own = {(limit.pack, limit.key): n for n, limit in enumerate(rows)}
    variants: dict[int, list[int]] = {}
    for n, limit in enumerate(rows):
        if limit.variant_of:
            variants.setdefault(own[limit.pack, limit.variant_of], []).append(n)
    above: dict[int, list[int]] = {}
    for n, limit in enumerate(rows):
        targets = [t for name in limit.replaces for t in named.get(name, [])]
        # What stands in a number's place stands in that of the alternatives in its cell too.
        targets += [v for t in targets for v in variants.get(t, ())]
        if limit.variant_of:
            targets.append(own[limit.pack, limit.variant_of])
        for target in targets:
            if target != n:
                above.setdefault(target, []).append(n)
                parent[root(n)] = root(target)
        parent[root(n)] = root(key_of[n])
    members: dict[int, list[int]] = {}
    for n in range(len(rows)):
        members.setdefault(root(n), []).append(n)
    return [
        Part(tuple(part), {n: key_of[n] for n in part}, {n: tuple(above[n]) for n in part if n in above})
        for _, part in sorted(members.items(), key=lambda item: item[1][0])
    ]


def thing(limit: Limit, *, typed: bool = True) -> tuple[object, ...]:
    """Return what two limits of one pack share if they are limits for the same thing.

    Examples
    --------
    >>> grab = Limit(pack="p", id="1", key="1", cite="1", parameter="Zinc", statistic="", unit="", sample_type="grab")
    >>> "grab" in thing(grab), "grab" in thing(grab, typed=False)
    (True, False)
    """
    alone = limit.id if limit.external or limit.words or not limit.parameter else ""
    return (
        limit.pack,
        limit.parameter,
        limit.fraction,
        limit.statistic,
        limit.unit,
        limit.kind,
        limit.sample_type if typed else "",
        tuple(sorted(limit.points)),
        limit.readings,
        limit.duration,
        limit.level,
        alone,
    )


class Screen:
    """Which limits may bind a profile: those of its packs that no known fact speaks against, by their parts.

    A row's conditions on words are looked up, not tried, so that thousands of users of whom a row names one are cheap.
    """

    def __init__(self, limits: Limits, parts: Sequence[Part], only: Collection[int] | None = None) -> None:
        self.parts = parts
        self.part_of = {n: number for number, part in enumerate(parts) for n in part.rows}
        self.of_pack: dict[str, set[int]] = {}
        self.asking: dict[str, set[int]] = {}
        self.named: dict[tuple[str, str], set[int]] = {}
        self.others: dict[str, list[tuple[int, fa.Condition]]] = {}
        for n, limit in enumerate(limits.rows):
            if only is not None and n not in only:
                continue
            self.of_pack.setdefault(limit.pack, set()).add(n)
            for name, condition in limit.when.items():
                self.asking.setdefault(name, set()).add(n)
                if condition.span is None and not condition.negated:
                    for word in condition.words:
                        self.named.setdefault((name, word), set()).add(n)
                else:
                    self.others.setdefault(name, []).append((n, condition))
        self.refused: dict[tuple[str, fa.Answer], frozenset[int]] = {}

    def refuses(self, name: str, answer: fa.Answer) -> frozenset[int]:
        """Return the rows that one answer speaks against."""
        if (name, answer) not in self.refused:
            given = answer if isinstance(answer, frozenset) else frozenset({str(answer)})
            holding = {n for word in given for n in self.named.get((name, word.casefold()), ())}
            holding |= {n for n, condition in self.others.get(name, []) if condition.holds(answer)}
            self.refused[name, answer] = frozenset(self.asking.get(name, set()) - holding)
        return self.refused[name, answer]

    def rows(self, who: Profile) -> list[tuple[Part, list[int]]]:
        """Return the parts with the rows that may bind, in the order of the limits."""
        left = set().union(*(self.of_pack.get(pack, ()) for pack in who.packs))
        for name, answer in who.answers.items():
            left -= self.refuses(name, answer)
        by_part: dict[int, list[int]] = {}
        for n in sorted(left):
            by_part.setdefault(self.part_of[n], []).append(n)
        return [(self.parts[number], rows) for number, rows in sorted(by_part.items())]
