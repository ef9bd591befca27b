"""The contestants croniter and cronsim: answers and times for the inputs that `CronBenchmark inputs` wrote."""

import sys
import time
from datetime import datetime, timezone
from pathlib import Path
from zoneinfo import ZoneInfo

ZONES = {"UTC": timezone.utc, "America/New_York": ZoneInfo("America/New_York")}

# They are so slow that fewer passes and visits measure them as well.
PASSES = 3
VISITS = 10_000


class Croniter:
    """An object can be moved to another start, which is the faster way."""

    def __init__(self):
        from croniter import croniter

        self.croniter = croniter

    def reading(self, text):
        return text

    def next(self, text, start):
        """A new object for each question, as its own documentation shows it."""
        return self.croniter(text, start).get_next(datetime)

    def fastest(self, text, start):
        """Gives what finds the next time after any start."""
        iterator = self.croniter(text, start)
        return lambda start: iterator.get_next(float, start_time=start)

    def reused(self, text, starts):
        find = self.fastest(text, starts[0])
        for start in starts:
            find(start)

    def never(self, text, starts):
        find = self.fastest(text, starts[0])
        for start in starts:
            try:
                find(start)
            except ValueError:
                continue
            raise AssertionError(f"{text} has an answer")

    def parse(self, text):
        self.croniter.expand(text)


class Cronsim:
    """An object starts where it was made to: each question takes a new one."""

    # It has no such names, and refuses what never comes.
    NAMES = {
        "@hourly": "0 * * * *",
        "@daily": "0 0 * * *",
        "@weekly": "0 0 * * 0",
        "@monthly": "0 0 1 * *",
        "@yearly": "0 0 1 1 *",
    }
    reused = None
    never = None

    def __init__(self):
        from cronsim import CronSim

        self.cronsim = CronSim

    def reading(self, text):
        return self.NAMES.get(text, text)

    def next(self, text, start):
        return next(self.cronsim(text, start))

    def fastest(self, text, start):
        return lambda start: next(self.cronsim(text, start))

    def parse(self, text):
        self.cronsim(text, START)


START = datetime(2026, 1, 1, tzinfo=timezone.utc)


class Inputs:
    def __init__(self, folder, library):
        folder = Path(folder)
        rows = (line.split("\t") for line in (folder / "expressions").read_text().splitlines())
        self.expressions = [(group, library.reading(text)) for group, text, _ in rows]
        self.instants = [int(line) for line in (folder / "instants").read_text().splitlines()]
        visits = (line.split("\t") for line in (folder / "visits").read_text().splitlines()[:VISITS])
        self.visits = [(int(index), int(second)) for index, second in visits]


def print_answers(library, inputs):
    for name, zone in ZONES.items():
        starts = [datetime.fromtimestamp(second, zone) for second in inputs.instants]
        for index, (group, text) in enumerate(inputs.expressions):
            if group != "mixed":
                continue
            for start in starts:
                found = library.next(text, start)
                print(name, index, int(start.timestamp()), int(found.timestamp()), sep="\t")


def best(calls, run, passes=PASSES):
    """The nanoseconds per call of the fastest pass."""
    fastest = float("inf")
    for _ in range(passes):
        begin = time.perf_counter_ns()
        run()
        fastest = min(fastest, (time.perf_counter_ns() - begin) / calls)
    return fastest


def each(find, starts):
    for start in starts:
        find(start)


def tell(measure, zone, case, nanoseconds):
    print(measure, zone, case, f"{nanoseconds:.2f}", sep="\t")


def print_times(library, inputs):
    for name, zone in ZONES.items():
        starts = [datetime.fromtimestamp(second, zone) for second in inputs.instants]
        for index, (group, text) in enumerate(inputs.expressions):
            if group == "mixed":
                usual = best(len(starts), lambda: each(lambda start: library.next(text, start), starts))
                tell("next", name, index, usual)
                if library.reused:
                    tell("next-reused", name, index, best(len(starts), lambda: library.reused(text, starts)))
            elif group == "sparse":
                find = library.fastest(text, starts[0])
                tell("sparse", name, index, best(len(starts), lambda: each(find, starts)))
                # The time of a call at the start where it takes longest.
                slowest = max(best(1, lambda: find(start)) for start in starts)
                tell("sparse-worst", name, index, slowest)
            elif group == "never" and library.never:
                tell("never", name, index, best(20, lambda: library.never(text, starts[:20]), passes=1))
        tell("cold", name, "-", cold(library, inputs, zone))
    print_parse_times(library, inputs)


def cold(library, inputs, zone):
    finders = [library.fastest(text, START) for _, text in inputs.expressions]
    visits = [(finders[index], datetime.fromtimestamp(second, zone)) for index, second in inputs.visits]

    def run():
        for find, start in visits:
            find(start)

    return best(len(visits), run)


def print_parse_times(library, inputs):
    texts = [inputs.expressions[index][1] for index, _ in inputs.visits[:1_000]]

    def parse(texts):
        for text in texts:
            library.parse(text)

    tell("parse", "-", "-", best(len(texts), lambda: parse(texts)))
    for index, (group, text) in enumerate(inputs.expressions):
        if group == "mixed":
            tell("parse-one", "-", index, best(50, lambda: parse([text] * 50)))


if __name__ == "__main__":
    libraries = {"croniter": Croniter, "cronsim": Cronsim}
    runs = {"answers": print_answers, "times": print_times}
    if len(sys.argv) != 4 or sys.argv[1] not in libraries or sys.argv[2] not in runs:
        sys.exit("usage: python_peer.py croniter|cronsim answers|times INPUTS")
    library = libraries[sys.argv[1]]()
    runs[sys.argv[2]](library, Inputs(sys.argv[3], library))
