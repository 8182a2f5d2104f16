#!/usr/bin/env python3
"""How long would it take, and what would it cost? On paper, from rates that were measured on a small machine.

    Cluster/simulate.py --tracks 1000000000 --artists 10000000 --executors 1 10 100

The result is an estimate: docs/cluster.md says what it assumes and what it leaves out. To measure rates of your own:
run spark_import.py on a sample, and pass what it prints.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass, fields


@dataclass(frozen=True)
class Rates:
    """What one core does in a second, and what a row takes."""

    extract: float = 128_000
    """Tracks that `tracks-migrate extract` reads."""
    keys: float = 160_000
    """Tracks whose keys Spark compares."""
    group: float = 110_000
    """Mentions that Spark reads, parses and combines to artists."""
    join: float = 133_000
    """Mentions that Spark reads again, joins with the numbers of artists, and sorts as links."""
    sort: float = 120_000
    """Tracks that Spark sorts and writes."""
    describe: float = 250e6
    """Bytes that are counted and digested."""
    assemble: float = 460_000
    """Rows that `tracks-migrate assemble` writes, in one process."""
    dump_bytes: float = 1_170
    """Bytes of a track in the dump."""
    track_bytes: float = 160
    """Bytes of a line of kind track."""
    mention_bytes: float = 195
    """Bytes of a line of kind mention."""
    combined_bytes: float = 120
    """Bytes of an artist in a shuffle, after mentions of one partition were combined."""
    link_bytes: float = 60
    """Bytes of a mention in the shuffle of the join, and again as a link that is sorted."""
    mentions: float = 1.4
    """Mentions of a track."""
    stage: float = 2.0
    """Seconds until a stage of tasks has begun and ended, work apart."""
    start: float = 15.0
    """Seconds until Spark is there."""


@dataclass(frozen=True)
class Estimate:
    """What a job would take."""

    executors: int
    shuffled: float
    seconds_by_step: dict[str, float]

    @property
    def seconds(self) -> float:
        """The time of all steps."""
        return sum(self.seconds_by_step.values())


def partitions(tracks: float, rates: Rates) -> float:
    """Return the number of partitions that docs/cluster.md recommends: one for 150 MB of mentions."""
    return max(1.0, tracks * rates.mentions * rates.mention_bytes / 150e6)


def estimate(
    tracks: float, artists: float, executors: int, cores: int, skew: float, network: float, rates: Rates
) -> Estimate:
    """Add up the steps of a job; the slowest task of a step takes `skew` times as long as the mean."""
    slots = executors * cores
    mentions = tracks * rates.mentions
    parts = partitions(tracks, rates)
    # An artist is in as many partitions as mention it, at most.
    combined = min(mentions, artists * parts)
    bytes_of = {
        "extract": tracks * rates.dump_bytes,
        "keys": tracks * 8,
        "artists": combined * rates.combined_bytes + artists * rates.combined_bytes,
        "tracks": tracks * rates.track_bytes,
        "links": mentions * rates.link_bytes * 2,
    }
    work = {
        "extract": tracks / rates.extract,
        "artists": mentions / rates.group + combined / rates.group,
        "keys": tracks / rates.keys,
        "tracks": tracks / rates.sort,
        "links": mentions / rates.join,
        "manifest": tracks * (rates.track_bytes + rates.mentions * 30) / rates.describe,
    }
    seconds = {"start": rates.start}
    for step, core_seconds in work.items():
        # Moving and computing overlap: what takes longer counts.
        moving = bytes_of.get(step, 0) / (network * executors)
        seconds[step] = max(core_seconds / slots * skew, moving) + rates.stage
    seconds["assemble"] = (tracks + artists + mentions) / rates.assemble
    shuffled = sum(bytes_of.values()) - bytes_of["extract"]
    return Estimate(executors, shuffled, seconds)


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description="Estimate the time and the cost of a cluster import.")
    parser.add_argument("--tracks", type=float, default=1e9)
    parser.add_argument("--artists", type=float, default=1e7)
    parser.add_argument("--executors", type=int, nargs="+", default=[1, 10, 100])
    parser.add_argument("--cores", type=int, default=4, help="of an executor (default: 4)")
    parser.add_argument("--skew", type=float, default=1.3, help="slowest task by the mean one (default: 1.3)")
    parser.add_argument("--network", type=float, default=250e6, help="bytes a second of a node (default: 250e6)")
    parser.add_argument("--price", type=float, default=0.05, help="of a core for an hour (default: 0.05)")
    for rate in fields(Rates):
        parser.add_argument(f"--{rate.name.replace('_', '-')}", type=float, default=rate.default)
    arguments = parser.parse_args()
    rates = Rates(**{rate.name: getattr(arguments, rate.name) for rate in fields(Rates)})
    steps = ["start", "extract", "keys", "artists", "tracks", "links", "manifest", "assemble"]
    print(f"| Executors | Shuffled | {' | '.join(steps)} | Together | Cost | Cost of 10⁶ tracks |")
    print("|---" * (len(steps) + 5) + "|")
    for executors in arguments.executors:
        result = estimate(
            arguments.tracks,
            arguments.artists,
            executors,
            arguments.cores,
            arguments.skew,
            arguments.network,
            rates,
        )
        # The cluster can go while one machine assembles.
        busy = result.seconds - result.seconds_by_step["assemble"]
        cost = (busy * executors + result.seconds_by_step["assemble"]) / 3600 * arguments.cores * arguments.price
        times = " | ".join(_time(result.seconds_by_step[step]) for step in steps)
        print(
            f"| {executors} | {result.shuffled / 1e9:,.0f} GB | {times} | {_time(result.seconds)} "
            f"| {cost:,.2f} | {cost / arguments.tracks * 1e6:.4f} |"
        )


def _time(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


if __name__ == "__main__":
    main()
