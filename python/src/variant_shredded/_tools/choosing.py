"""Chooses the paths to shred, to sort by and to put bloom filters on."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from variant_shredded._tools.model import RESIDUAL, Inspection, PathSummary, steps
from variant_shredded._tools.queries import QueryReads
from variant_shredded._tools.sampled import SampledValues, is_in_array
from variant_shredded._tools.terminal import percent

#: The types that a path can be pinned with. Schema inference chooses the precision of decimals.
_PINNED_TYPES = (
    "BIGINT",
    "STRING",
    "DOUBLE",
    "FLOAT",
    "BOOLEAN",
    "DATE",
    "TIMESTAMP",
    "TIMESTAMP_NTZ",
)
#: A column that no query needs is dropped if a smaller share of the rows has a value in it.
_RARE_SHARE = 0.005


@dataclass
class Choice:
    """Collects the recommendations. Its fields have the names of those of `Advice`."""

    pin: dict[str, str] = field(default_factory=dict)
    include: list[str] = field(default_factory=list)
    exclude: list[str] = field(default_factory=list)
    cluster_by: list[str] = field(default_factory=list)
    bloom_filter: list[str] = field(default_factory=list)
    reasons: dict[str, list[str]] = field(default_factory=dict)


@dataclass(frozen=True)
class Demand:
    """Counts the queries that use each path of a Variant.

    Attributes
    ----------
    queries
        The number of all queries.
    read
        The number of queries that use a path, by path.
    equals, ranges
        The number of queries that test a path by an equality or a range predicate, by path and
        type.
    """

    queries: int
    read: Counter[str]
    equals: Counter[tuple[str, str]]
    ranges: Counter[tuple[str, str]]

    @classmethod
    def of(cls, queries: list[QueryReads], variant: str) -> Demand:
        """Count the uses of the paths of the Variant column `variant`."""
        read: Counter[str] = Counter()
        compared: dict[str, Counter[tuple[str, str]]] = {"equals": Counter(), "range": Counter()}
        for query in queries:
            ours = [use for use in query.uses if use.column == variant and use.path != "$"]
            read.update(dict.fromkeys((use.path for use in ours), 1))
            for kind, counter in compared.items():
                pairs = ((use.path, use.type) for use in ours if use.kind == kind)
                counter.update(dict.fromkeys(pairs, 1))
        return cls(len(queries), read, compared["equals"], compared["range"])


def choose(choice: Choice, demand: Demand, values: dict[str, SampledValues]) -> None:
    """Choose the paths to shred, to sort by and to put bloom filters on, by the queries.

    Parameters
    ----------
    choice
        Gets the recommendations.
    demand
        What the queries use.
    values
        The values of the sample, by path.
    """
    for path, count in demand.read.most_common():
        found = values.get(path)
        reasons = choice.reasons.setdefault(path, [])
        reasons.append(f"in {count} of {demand.queries} queries")
        if found is None:
            reasons.append("not measured: it has quotes" if "\\" in path else "no values seen")
        elif found.is_one_type and found.type in _PINNED_TYPES:
            choice.pin[path] = found.type.lower()
            reasons.append(f"{percent(found.types[found.type] / found.count)} {found.type}")
        else:
            choice.include.append(path)
            kinds = sorted({kind.split("(")[0] for kind in found.types})
            reasons.append(f"values are {', '.join(kinds)}")
        if found is not None and found.nulls:
            reasons.append(f"{percent(found.nulls / (found.count + found.nulls))} are null")
    _drop_below_pinned(choice)
    _drop_conflicting(choice, values)
    equals = _comparisons(choice, demand.equals, values)
    few = [path for path in equals if not values[path].has_many_distinct and not is_in_array(path)]
    choice.bloom_filter = [path for path in equals if values[path].has_many_distinct]
    ranges = [path for path in _comparisons(choice, demand.ranges, values) if not is_in_array(path)]
    choice.cluster_by = list(dict.fromkeys([*few[:1], *ranges[:1]]))
    for paths, why in (
        (few[:1], "used in equality predicates; {} distinct values"),
        (ranges[:1], "used in range predicates"),
        (choice.bloom_filter, "used in equality predicates; {} distinct values"),
    ):
        for path in paths:
            choice.reasons[path].append(why.format(f"about {values[path].distinct:,}"))


def _comparisons(
    choice: Choice, compared: Counter[tuple[str, str]], values: dict[str, SampledValues]
) -> list[str]:
    """Return the paths that help skipping if they are sorted or have a bloom filter.

    The paths that most queries test come first. Paths whose predicates cannot skip anything get a
    reason that says so.
    """
    found: Counter[str] = Counter()
    for (path, kind), count in compared.items():
        stored = values.get(path) if path in choice.pin or path in choice.include else None
        if stored is None or not stored.is_one_type or stored.distinct < 2:
            continue
        if _keeps_order(stored.type.lower(), kind):
            found[path] += count
        else:
            why = f"compared as {kind}, which skips nothing: write values of this type"
            if why not in choice.reasons[path]:
                choice.reasons[path].append(why)
    return [path for path, _ in found.most_common()]


def _keeps_order(stored: str, tested: str) -> bool:
    """Return whether the bounds of a stored type can be compared after a cast.

    docs/pushdown.md has the rules.
    """
    exact = ("tinyint", "smallint", "int", "bigint", "decimal")
    stored, tested = stored.split("(")[0], tested.split("(")[0]
    return stored == tested or (stored in exact and tested in (*exact, "float", "double"))


def _drop_below_pinned(choice: Choice) -> None:
    """Remove the recommendations for paths below a pinned one, which has scalars nearly always."""
    for pinned in list(choice.pin):
        for path in [*choice.pin, *choice.include]:
            if path != pinned and _is_below(path, pinned):
                choice.pin.pop(path, None)
                choice.include = [other for other in choice.include if other != path]
                choice.reasons[path].append(f"inside {pinned}, which is pinned")


def _drop_conflicting(choice: Choice, values: dict[str, SampledValues]) -> None:
    """Remove the recommendations for which a value has to be both an object and an array.

    The path with more values is kept. If both have as many, the one that more queries read is kept,
    which comes first in the reasons.
    """
    is_array: dict[str, bool] = {}
    because_of: dict[str, str] = {}
    none = SampledValues({}, 0)
    for path in sorted(choice.reasons, key=lambda each: -values.get(each, none).count):
        if path not in choice.pin and path not in choice.include:
            continue
        ends = [end for _, end in steps(path)]
        above = ["$", *ends[:-1]]
        needed = {where: end.endswith("[*]") for where, end in zip(above, ends, strict=True)}
        other = [where for where in above if is_array.get(where, needed[where]) != needed[where]]
        if not other:
            is_array.update(needed)
            because_of = {**dict.fromkeys(needed, path), **because_of}
            continue
        choice.pin.pop(path, None)
        choice.include = [each for each in choice.include if each != path]
        kept = "an array" if is_array[other[0]] else "an object"
        reason = f"{other[0]} is shredded as {kept}, because of {because_of[other[0]]}"
        choice.reasons[path].append(reason)


def drop(choice: Choice, variant: str, demand: Demand, inspection: Inspection) -> None:
    """Drop the columns of the files that have few values and that no query needs.

    Parameters
    ----------
    choice
        Gets the recommendations.
    variant
        The name of the Variant column.
    demand
        What the queries use.
    inspection
        What the files hold.
    """
    (root,) = (each.root for each in inspection.columns if each.name == variant)
    for summary in filter(lambda each: each is not root, root.walk()):
        share = _share(summary)
        if summary.children or share is None or share >= _RARE_SHARE:
            continue
        if is_in_array(summary.path):
            continue
        if not any(
            _is_below(path, summary.path) or _is_below(summary.path, path) for path in demand.read
        ):
            choice.exclude.append(summary.path)
            choice.reasons[summary.path] = [f"{percent(share)} of the rows have a value"]


def _share(summary: PathSummary) -> float | None:
    """Return the share of the possible values at a path that are not missing, if it is known."""
    shares = [] if summary.typed is None else [summary.typed_share]
    if not shares or any(leaf.name in RESIDUAL for leaf in summary.leaves):
        shares.append(summary.residual_share)
    known = [share for share in shares if share is not None]
    return sum(known) if len(known) == len(shares) else None


def _is_below(path: str, other: str) -> bool:
    return path == other or path.startswith((f"{other}.", f"{other}["))
