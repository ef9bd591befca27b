"""The contestant croniter: answers and times for the inputs that `CronBenchmark inputs` wrote."""

import sys
import time
from datetime import datetime, timezone
from pathlib import Path
from zoneinfo import ZoneInfo

from croniter import croniter

ZONES = {"UTC": timezone.utc, "America/New_York": ZoneInfo("America/New_York")}

# It is so slow that fewer passes and visits measure it as well.
PASSES = 3
VISITS = 10_000


class Inputs:
    def __init__(self, folder):
        folder = Path(folder)
        rows = (line.split("\t") for line in (folder / "expressions").read_text().splitlines())
        self.expressions = [(group, text) for group, text, _ in rows]
        self.instants = [int(line) for line in (folder / "instants").read_text().splitlines()]
        self.century = [int(line) for line in (folder / "century").read_text().splitlines()]
        visits = (line.split("\t") for line in (folder / "visits").read_text().splitlines()[:VISITS])
        self.visits = [(int(index), int(second)) for index, second in visits]


def print_answers(inputs):
    for name, zone in ZONES.items():
        starts = [datetime.fromtimestamp(second, zone) for second in inputs.instants]
        for index, (group, text) in enumerate(inputs.expressions):
            if group != "mixed":
                continue
            for start in starts:
                found = croniter(text, start).get_next(float)
                print(name, index, int(start.timestamp()), int(found), sep="\t")


def usual(text, starts):
    """A new object for each question, as its own documentation shows it."""
    for start in starts:
        croniter(text, start).get_next(datetime)


def reused(text, starts):
    """One object that is moved from one start to the next."""
    iterator = croniter(text, starts[0])
    for start in starts:
        iterator.get_next(float, start_time=start)


def best(calls, run, passes=PASSES):
    """The nanoseconds per call of the fastest pass."""
    fastest = float("inf")
    for _ in range(passes):
        begin = time.perf_counter_ns()
        run()
        fastest = min(fastest, (time.perf_counter_ns() - begin) / calls)
    return fastest


def worst(text, starts):
    """The time of a call at the start where it takes longest."""
    iterator = croniter(text, starts[0])
    return max(best(1, lambda: iterator.get_next(float, start_time=start)) for start in starts)


def tell(measure, zone, case, nanoseconds):
    print(measure, zone, case, f"{nanoseconds:.2f}", sep="\t")


def never(text, starts):
    iterator = croniter(text, starts[0])
    for start in starts:
        try:
            iterator.get_next(float, start_time=start)
        except ValueError:
            continue
        raise AssertionError(f"{text} has an answer")


def print_times(inputs):
    for name, zone in ZONES.items():
        starts = [datetime.fromtimestamp(second, zone) for second in inputs.instants]
        century = [datetime.fromtimestamp(second, zone) for second in inputs.century]
        for index, (group, text) in enumerate(inputs.expressions):
            if group == "mixed":
                tell("next", name, index, best(len(starts), lambda: usual(text, starts)))
                tell("next-reused", name, index, best(len(starts), lambda: reused(text, starts)))
            elif group == "sparse":
                tell("sparse", name, index, best(len(starts), lambda: reused(text, starts)))
                tell("sparse-worst", name, index, worst(text, starts))
            elif group == "never":
                tell("never", name, index, best(20, lambda: never(text, starts[:20]), passes=1))
        tell("cold", name, "-", cold(inputs, zone))
    print_parse_times(inputs)


def cold(inputs, zone):
    iterators = [croniter(text, inputs.instants[0]) for _, text in inputs.expressions]
    visits = [
        (iterators[index], datetime.fromtimestamp(second, zone)) for index, second in inputs.visits
    ]

    def run():
        for iterator, start in visits:
            iterator.get_next(float, start_time=start)

    return best(len(visits), run)


def print_parse_times(inputs):
    texts = [inputs.expressions[index][1] for index, _ in inputs.visits[:1_000]]

    def parse(texts):
        for text in texts:
            croniter.expand(text)

    tell("parse", "-", "-", best(len(texts), lambda: parse(texts)))
    for index, (group, text) in enumerate(inputs.expressions):
        if group == "mixed":
            tell("parse-one", "-", index, best(50, lambda: parse([text] * 50)))


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in ("answers", "times"):
        sys.exit("usage: croniter_peer.py answers|times INPUTS")
    run = {"answers": print_answers, "times": print_times}[sys.argv[1]]
    run(Inputs(sys.argv[2]))
