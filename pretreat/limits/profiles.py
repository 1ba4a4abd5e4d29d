"""Profiles: users of whom the packs ask the same, and who give the same answers, share one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal

import numpy as np
import numpy.typing as npt
import pandas as pd

from pretreat.errors import UsageError
from pretreat.limits import facts as fa
from pretreat.limits.formulas import names_in
from pretreat.limits.provisions import Limits


@dataclass(frozen=True, slots=True)
class Profile:
    """What limits ask of a user's place.

    `answers` are known facts, `assumed` those of a pack's assumption; every other fact is unknown. `elsewhere` are the
    points of the user's other outfalls.
    """

    packs: tuple[str, ...]
    points: tuple[str, ...]
    elsewhere: frozenset[str]
    answers: Mapping[str, fa.Answer]
    assumed: frozenset[str]


def asked(limits: Limits) -> dict[str, list[fa.Condition]]:
    """Return the facts that any limit asks for, each with the conditions on it.

    Examples
    --------
    >>> asked(Limits(()))
    {}
    """
    conditions: dict[str, list[fa.Condition]] = {}
    for limit in limits.rows:
        for name, condition in limit.when.items():
            conditions.setdefault(name, []).append(condition)
    return conditions


def profiles(
    limits: Limits, users: pd.DataFrame, given: Mapping[str, fa.Answer]
) -> tuple[list[Profile], npt.NDArray[np.int64]]:
    """Return the distinct profiles of the users, and the profile of each row of `users`.

    Parameters
    ----------
    limits : Limits
        The packs, whose facts may carry an assumption.
    users : DataFrame
        As `limits.in_force` takes it.
    given : mapping of str to Answer
        Answers for all users; a user's own are nearer.

    Examples
    --------
    >>> people, of_user = profiles(Limits(()), pd.DataFrame({"facility": ["A", "B"]}), {})
    >>> len(people), of_user.tolist()
    (1, [0, 0])
    """
    conditions = asked(limits)
    exact = {name for limit in limits.rows if limit.formula for name in names_in(limit.formula)}
    names = sorted({*conditions, *exact})
    points = _each(_column(users, "point"), lambda text: _listed(text) or ("end of pipe",))
    facility = _column(users, "facility")
    everywhere: dict[str, set[str]] = {}
    for who, places in zip(facility, points, strict=True):
        everywhere.setdefault(who, set()).update(places)
    mixing = any({"end of process", "in-plant"} & set(limit.points) for limit in limits.rows)
    nowhere: frozenset[str] = frozenset()
    elsewhere = [frozenset(everywhere[who]) if mixing else nowhere for who in facility]
    packs = _each(_column(users, "packs"), lambda text: limits.of_user(_listed(text)))
    classes = _column(users, "class")
    answers = [
        _answers(name, _column(users, name), classes, conditions.get(name, []), limits.facts.get(name), name in exact)
        for name in names
    ]
    codes: dict[tuple[object, ...], int] = {}
    keys = list(zip(packs, points, elsewhere, *answers, strict=True))
    of_user = np.array([codes.setdefault(key, len(codes)) for key in keys], dtype=np.int64)
    return [_profile(limits, names, key, given) for key in codes], of_user


def _profile(limits: Limits, names: list[str], key: tuple[object, ...], given: Mapping[str, fa.Answer]) -> Profile:
    packs, points, elsewhere, *own = key
    answers: dict[str, fa.Answer] = {}
    assumed = set()
    for name, reply in zip(names, own, strict=True):
        fact = limits.facts.get(name)
        if reply is not None:
            answers[name] = reply  # type: ignore[assignment]
        elif name in given:
            answers[name] = given[name]
        elif fact is not None and fact.assume:
            answers[name] = _assumption(fact)
            assumed.add(name)
    return Profile(packs, points, elsewhere, answers, frozenset(assumed))  # type: ignore[arg-type]


def _assumption(fact: fa.Fact) -> fa.Answer:
    """Return the assumed answer; for a number assumed as `above 300`, any number that meets it."""
    if fact.number:
        span = fa.condition(fact.assume).span
        if span is not None:
            return next(n for n in fa.representatives([span]) if span.holds(n))
    reply = fa.answer(fact.name, fact.assume)
    return reply if reply is not None else fact.assume


def _answers(
    name: str,
    column: npt.NDArray[np.object_],
    classes: npt.NDArray[np.object_],
    conditions: list[fa.Condition],
    fact: fa.Fact | None,
    exact: bool,
) -> list[fa.Answer | None]:
    """Return each user's answer, as coarse as the conditions are, worked out once for each distinct cell."""
    texts = list(zip(column, classes, strict=True)) if name == "category" else [(text, "") for text in column]
    spans = list(dict.fromkeys(c.span for c in conditions if c.span is not None))
    words = {word for c in conditions for word in c.words}
    numbers = {tuple(span.holds(n) for span in spans): n for n in fa.representatives(spans)}
    seen: dict[tuple[str, str], fa.Answer | None] = {}
    for text, of_class in set(texts):
        reply = fa.answer(name, text)
        try:
            if reply is not None and fact is not None:
                reply = fa.checked(fact, reply)
            elif reply is not None and spans and not isinstance(reply, Decimal):
                raise ValueError(f"{name} is a number, and {text!r} is none")
        except ValueError as error:
            todo = "Leave the cell empty where nobody knows."
            raise UsageError(f"{error}.", where=f"facilities, column {name}", todo=todo) from error
        if reply is None:
            seen[text, of_class] = _silent(name, of_class)
        elif isinstance(reply, Decimal) and spans and not exact:
            seen[text, of_class] = numbers[tuple(span.holds(reply) for span in spans)]
        elif isinstance(reply, frozenset):
            seen[text, of_class] = frozenset(word.casefold() for word in reply if word.casefold() in words)
        else:
            kept = exact or isinstance(reply, Decimal) or reply.casefold() in words
            seen[text, of_class] = reply if kept else fa.OTHER
    return [seen[pair] for pair in texts]


def _silent(name: str, of_class: str) -> fa.Answer | None:
    """Return what silence says: a class that is given and is not CIU is in no category (limits/README.md, "Blocks")."""
    known = fa.answer("class", of_class) if name == "category" else None
    return frozenset() if isinstance(known, frozenset) and "CIU" not in {word.upper() for word in known} else None


def _each(column: npt.NDArray[np.object_], read: Callable[[str], tuple[str, ...]]) -> list[tuple[str, ...]]:
    seen = {text: read(text) for text in set(column)}
    return [seen[text] for text in column]


def _listed(text: str) -> tuple[str, ...]:
    return tuple(part for part in (" ".join(piece.split()) for piece in str(text).split(";")) if part)


def _column(users: pd.DataFrame, name: str) -> npt.NDArray[np.object_]:
    own = next((one for one in users.columns if str(one).casefold() == name.casefold()), None)
    if own is None:
        return np.full(len(users), "", dtype=object)
    column = users[own].astype(object)
    return column.where(users[own].notna(), "").map(str).to_numpy(dtype=object)
