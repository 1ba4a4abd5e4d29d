"""Significant noncompliance: chronic violations and the technical review, 40 CFR 403.8(f)(2)(viii)(A) and (B).

Each limit at each place is a series of its own (the federal text names the parameter only; Cabarrus County NC says
"the same daily maximum limit or the same average limit"). Its measurements are counted in whole numbers, as intervals:
how many are proven over, and how many could be.
"""

from __future__ import annotations

import hashlib
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from pretreat import columns
from pretreat.snc.counts import ONE_A_MONTH, UNCOUNTED, factors, over, pairs, text
from pretreat.snc.published import BY_DATE, judgments, publication
from pretreat.snc.rule import FEDERAL, Rule, local, significant, wordings

__all__ = ["BY_DATE", "judge", "judgments", "one_more", "publication"]

_Array = npt.NDArray[Any]

_KEY = ("pack", "limit_id", "facility", "outfall", "parameter", "fraction", "statistic")

_RANKS: Final = ("unknown", "no", "yes")
"""What a user's spans say together: the last of these that any says."""


def judge(
    values: pd.DataFrame,
    judged: pd.DataFrame,
    in_force: pd.DataFrame,
    series: pd.DataFrame,
    users: pd.DataFrame,
    limits: Any,
    period: tuple[Any, Any],
) -> pd.DataFrame:
    """Count each limit's measurements over in the half years that end with each quarter, and judge their shares.

    Parameters
    ----------
    values, judged, in_force, series, users : DataFrame
        As docs/architecture.md has them. For limits on averages longer than a day that are no monthly ones (4-day,
        weekly, 12-month), `values` must hold the daily values too.
    limits : Limits
        Its packs word the rule: a limit's own pack, else the one local pack with a block `[snc]` in force for the user,
        else `federal/403`; without any there is none.
    period : tuple of two timestamps
        Half open. A window is listed where its last day lies in it.

    Returns
    -------
    DataFrame
        As `columns.TABLES["snc"]`. `n_over_low` are proven over the limit, `n_over_high` possible; `n_trc_low` and
        `n_trc_high` likewise at or above the limit times `trc_factor`, NaN where there is no technical review.

    Notes
    -----
    40 CFR 403.8(f)(2)(viii): (A) 66 percent or more of all measurements of a 6-month period exceed a numeric standard,
    including instantaneous limits; (B) 33 percent or more equal or exceed it times 1.4 or 1.2. Windows that end with
    each quarter are EPA's practice; the text says only "a 6-month period".

    Examples
    --------
    >>> from types import SimpleNamespace as Of
    >>> copper = {"pack": "permit", "limit_id": "Cu", "cite": "1", "facility": "Acme", "parameter": "Copper",
    ...     "statistic": "daily maximum", "bound": "upper", "operator": ">", "limit_low": 1.2, "limit_high": 1.2,
    ...     "unit": "mg/L", "kind": "violation"}
    >>> day = pd.date_range("2026-01-05", periods=3, freq="MS")
    >>> values = pd.DataFrame({"series": 0, "statistic": "daily maximum", "period_start": day, "period_end": day,
    ...     "low": [1.2, 1.3, 1.44], "high": [1.2, 1.3, 1.44], "sample_type": "", "rules": 0})
    >>> judged = pd.DataFrame({"limit": 0, "value": [0, 1, 2], "verdict": [3, 0, 0]})
    >>> packs = Of(packs=[Of(name="permit", snc=None), Of(name="federal/403", snc={"cite": "40 CFR 403.8"})])
    >>> series = pd.DataFrame({"facility": ["Acme"], "parameter": ["Copper"]})
    >>> users = pd.DataFrame({"facility": ["Acme"], "class": ["SIU"]})
    >>> half = ("2026-04-01", "2026-07-01")
    >>> found = judge(values, judged, pd.DataFrame([copper]), series, users, packs, half)
    >>> found[["n", "n_over_low", "chronic", "n_trc_low", "trc", "snc"]].to_numpy().tolist()
    [[3, 2, 'yes', 1, 'yes', 'yes']]
    """
    known, of_row = _limit_series(in_force, users)
    measured = pairs(values, judged, in_force, series, of_row)
    start, end = (np.datetime64(pd.Timestamp(day), "s") for day in period)
    rule_of = _rules(known, users, limits)
    tables = []
    for rule in dict.fromkeys(rule for rule in rule_of if rule is not None):
        mine = np.array([one is rule for one in rule_of], dtype=bool)
        factor = _factor_of(rule, in_force, of_row, len(known))
        chosen = measured[mine[measured["group"].to_numpy()]]
        tables.append(_count(rule, chosen, values, in_force, known.assign(trc_factor=factor), start, end))
    tables = [table for table in tables if len(table)]
    if not tables:
        return columns.empty("snc")
    table = pd.concat(tables, ignore_index=True)
    table["significant_user"] = _significance(table, users)
    # To a user who is not significant the two criteria do not apply, whatever the shares.
    table["snc"] = np.where(table["significant_user"] == "no", "no", table["snc"])
    table["snc_id"] = _ids(table)
    return columns.complete(table.sort_values(list(columns.SORTED_BY["snc"]), ignore_index=True), "snc")


def one_more(snc: pd.DataFrame, limits: Any) -> pd.DataFrame:
    """Return what each row would become with one more measurement: over everything, and over nothing.

    Parameters
    ----------
    snc : DataFrame
        As `judge` returns it.
    limits : Limits
        Whose packs word the shares.

    Returns
    -------
    DataFrame
        `snc_id`, then `chronic`, `trc` and `snc` `_if_over` (a measurement at or above the limit times the factor) and
        `_if_under`. For a user who is not significant, `snc_if_over` and `snc_if_under` stay `no`.
    """
    by_cite = {rule.cite: rule for rule in wordings(limits.packs).values()}
    out = pd.DataFrame({"snc_id": snc["snc_id"].to_numpy()})
    n = snc["n"].to_numpy(dtype=np.int64) + 1
    review = snc["trc_factor"].notna().to_numpy()
    exempt = (snc["significant_user"] == "no").to_numpy()
    for word, more in (("over", 1), ("under", 0)):
        over = [snc[c].to_numpy(dtype=np.int64) + more for c in ("n_over_low", "n_over_high")]
        trc = [snc[c].to_numpy(dtype=np.int64) + more * review for c in ("n_trc_low", "n_trc_high")]
        chronic_word, trc_word = np.full(len(snc), "no", dtype=object), np.full(len(snc), "no", dtype=object)
        for cite in snc["rule_cite"].unique():
            mine, rule = (snc["rule_cite"] == cite).to_numpy(), by_cite[cite]
            chronic_word[mine] = _shares(rule.chronic, over[0][mine], over[1][mine], n[mine])
            trc_word[mine] = _shares(rule.technical, trc[0][mine], trc[1][mine], n[mine])
        trc_word[~review] = "no"
        out[f"chronic_if_{word}"], out[f"trc_if_{word}"] = chronic_word, trc_word
        out[f"snc_if_{word}"] = np.where(exempt, "no", _either(chronic_word, trc_word))
    return out


def _rules(known: pd.DataFrame, users: pd.DataFrame, limits: Any) -> list[Rule | None]:
    """Return the rule of each series: its pack's own, else the local wording in force for the user, else federal."""
    own, here = wordings(limits.packs), local(limits, users)
    federal = own.get(FEDERAL)
    pairs_ = zip(known["pack"], known["facility"], strict=True)
    return [own.get(pack) or here.get(facility, here.get("", None)) or federal for pack, facility in pairs_]


def _limit_series(in_force: pd.DataFrame, users: pd.DataFrame) -> tuple[pd.DataFrame, npt.NDArray[np.int64]]:
    """Return the limits at places that are series, and for each row in force which one it belongs to (-1: none)."""
    key = pd.DataFrame({name: text(in_force, name) for name in _KEY})
    counts = (text(in_force, "kind") == "violation") & ~key["statistic"].isin(UNCOUNTED)
    counts &= ~text(in_force, "point").str.startswith("plant") & ~key["facility"].isin(_plants(users))
    # A limit without an id is told apart by its place in the pack.
    key["limit"] = np.where(
        key["limit_id"] == "", in_force["limit"] if "limit" in in_force else np.arange(len(key)), -1
    )
    of_row = np.full(len(in_force), -1, dtype=np.int64)
    rows = key[counts.to_numpy()]
    number = rows.groupby(list(rows.columns), observed=True, sort=False).ngroup().to_numpy()
    of_row[counts.to_numpy()] = number
    first = np.unique(number, return_index=True)[1]
    known = rows.iloc[first].drop(columns="limit").reset_index(drop=True)
    known["cite"] = text(in_force, "cite").to_numpy()[counts.to_numpy()][first]
    return known, of_row


def _factor_of(rule: Rule, in_force: pd.DataFrame, of_row: _Array, size: int) -> _Array:
    """Return the technical review factor of each series, NaN where it has none."""
    factor, out = factors(rule, in_force), np.full(size, np.nan)
    known = (of_row >= 0) & ~np.isnan(factor)
    out[of_row[known]] = factor[known]
    return out


def _plants(users: pd.DataFrame) -> set[str]:
    if "point" not in users:
        return set()
    user_class = text(users, "class").str.lower()
    plant = text(users, "point").map(lambda points: all(p.strip().startswith("plant") for p in points.split(";")))
    plant |= user_class.isin(("plant", "potw"))
    every = plant.groupby(text(users, "facility")).all()
    return set(every.index[every])


def _count(
    rule: Rule,
    measured: pd.DataFrame,
    values: pd.DataFrame,
    in_force: pd.DataFrame,
    known: pd.DataFrame,
    start: np.datetime64,
    end: np.datetime64,
) -> pd.DataFrame:
    """Count one rule's measurements by limit and window, and judge the shares."""
    limit, value = measured["limit"].to_numpy(), measured["value"].to_numpy()
    begins, ends = (values[name].to_numpy().astype("datetime64[s]")[value] for name in ("period_start", "period_end"))
    last = np.where(ends > begins, ends - np.timedelta64(1, "s"), begins)
    block = last.astype("datetime64[M]").astype(np.int64) // rule.every
    width = rule.months // rule.every
    # Windows that end with block b have their last day in the period.
    day = np.timedelta64(1, "D")
    blocks = np.arange(
        start.astype("datetime64[M]").astype(int) // rule.every,
        end.astype("datetime64[M]").astype(int) // rule.every + 1,
    )
    closes = ((blocks + 1) * rule.every).astype("datetime64[M]").astype("datetime64[s]")
    blocks = blocks[(closes - day >= start) & (closes - day < end)]
    if not len(blocks):
        return columns.empty("snc")
    first = blocks[0] - width + 1
    span = int(blocks[-1] - first + 1)
    inside = (block >= first) & (block < first + span)
    limit, value, group = limit[inside], value[inside], measured["group"].to_numpy()[inside]
    chronic, trc = over(rule, limit, value, measured["verdict"].to_numpy()[inside], values, in_force)
    # A month has one average, though its worst window may differ with the side of the limit.
    monthly = text(in_force, "statistic").isin(ONE_A_MONTH).to_numpy()[limit]
    which = np.where(monthly, begins[inside].astype(np.int64), value)
    group, block, flags = _once(group, which, block[inside], np.stack([*chronic, *trc]))

    cell, size = group * span + (block - first), len(known) * span
    counts = [np.bincount(cell, minlength=size)]
    counts += [np.bincount(cell[flag], minlength=size) for flag in flags]
    sums = [_windows(count.reshape(len(known), span), width)[:, blocks - first] for count in counts]
    at_group, at_block = np.nonzero(sums[0])
    n, over_low, over_high, trc_low, trc_high = (total[at_group, at_block] for total in sums)

    table = known.iloc[at_group].reset_index(drop=True).rename(columns={"pack": "limit_pack", "cite": "limit_cite"})
    table["rule_cite"] = rule.cite
    close = ((blocks[at_block] + 1) * rule.every).astype("datetime64[M]")
    table["window_start"] = (close - np.timedelta64(rule.months, "M")).astype("datetime64[s]")
    table["window_end"] = close.astype("datetime64[s]")
    table["n"], table["n_over_low"], table["n_over_high"] = n, over_low, over_high
    table["chronic"] = _shares(rule.chronic, over_low, over_high, n)
    table["n_trc_low"], table["n_trc_high"] = trc_low, trc_high
    table["trc"] = np.where(table["trc_factor"].isna(), "no", _shares(rule.technical, trc_low, trc_high, n))
    table["snc"] = _either(table["chronic"].to_numpy(), table["trc"].to_numpy())
    return table


def _once(group: _Array, value: _Array, block: _Array, flags: _Array) -> tuple[_Array, _Array, _Array]:
    """Count a measurement once, though both bounds of one range stand against it."""
    order = np.lexsort((value, group))
    g, v = group[order], value[order]
    new = np.ones(len(g), dtype=bool)
    new[1:] = (g[1:] != g[:-1]) | (v[1:] != v[:-1])
    if new.all():
        return group, block, flags
    heads = np.flatnonzero(new)
    return g[heads], block[order][heads], np.logical_or.reduceat(flags[:, order], heads, axis=1)


def _windows(counts: _Array, width: int) -> _Array:
    """Return the sum of each block and the `width - 1` before it."""
    total = np.cumsum(counts, axis=1)
    before = np.zeros_like(total)
    before[:, width:] = total[:, :-width]
    out: _Array = total - before
    return out


def _shares(share: Any, low: _Array, high: _Array, n: _Array) -> _Array:
    words: _Array = np.where(
        share.reached(low, n), "yes", np.where(share.reached(high, n), "undetermined", "no")
    ).astype(object)
    return words


def _either(chronic: _Array, trc: _Array) -> _Array:
    yes, maybe = (chronic == "yes") | (trc == "yes"), (chronic == "undetermined") | (trc == "undetermined")
    words: _Array = np.where(yes, "yes", np.where(maybe, "undetermined", "no")).astype(object)
    return words


def _significance(table: pd.DataFrame, users: pd.DataFrame) -> _Array:
    """Return whether each row's user was significant at some time of its window."""
    said = pd.DataFrame({"facility": text(users, "facility").to_numpy()})
    profile = pd.DataFrame({"class": text(users, "class"), "category": text(users, "category")})
    number = profile.groupby(["class", "category"], sort=False).ngroup().to_numpy()
    heads = np.unique(number, return_index=True)[1]
    rank = np.array([_RANKS.index(significant(*profile.iloc[i])) for i in heads], dtype=np.int64)
    said["rank"] = rank[number] if len(users) else 0
    for name in ("from", "until"):
        said[name] = pd.to_datetime(users[name]).to_numpy() if name in users else np.datetime64("NaT", "s")
    keys = table[["facility", "window_start", "window_end"]].drop_duplicates()
    met = keys.merge(said, on="facility", how="left")
    apart = (met["from"] >= met["window_end"]) | (met["until"] <= met["window_start"])
    met["rank"] = met["rank"].where(~apart, 0).fillna(0).astype(int)
    best = met.groupby(["facility", "window_start", "window_end"], as_index=False, observed=True)["rank"].max()
    ranks = table[["facility", "window_start", "window_end"]].merge(best, how="left")["rank"].to_numpy()
    words: _Array = np.array(_RANKS, dtype=object)[ranks]
    return words


def _ids(table: pd.DataFrame) -> list[str]:
    key = ["limit_pack", "limit_id", "limit_cite", "rule_cite", *_KEY[2:], "window_start", "window_end"]
    texts = map("|".join, zip(*(_named(table[name]) for name in key), strict=True))
    return ["snc-" + hashlib.sha256(text.encode()).hexdigest()[:12] for text in texts]


def _named(column: pd.Series) -> list[str]:
    """Return a column as texts, worked out once for each distinct value."""
    codes, names = pd.factorize(column)
    words = [str(name) for name in names]
    return [words[code] for code in codes.tolist()]
