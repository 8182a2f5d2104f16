"""How long a migration would take with more processors, from what its threads take with those at hand.

usage: schedule.py TOOL LIBRARY OUTPUT [RUNS]

Linux only. The threads' processor times are looked at every few milliseconds. Before the readers start and after they
have ended, only the main thread works; in between, it takes what they have made of the ranges, in order, as fast as it
can. So with n processors the middle takes the longer of the main thread's own share and 1/n of everything. Printed
besides: what was measured, to compare with what is computed for the same number of processors.
"""

import os
import statistics
import subprocess
import sys
import time

# The name that Dispatch gives to the threads of a global queue, on which the readers work.
READER = "default-qos"


def thread_times(process):
    """Seconds of processor time of the main thread and of each reader; nothing at the end of the process."""
    main, readers = 0.0, {}
    try:
        for thread in os.listdir(f"/proc/{process}/task"):
            with open(f"/proc/{process}/task/{thread}/schedstat") as file:
                seconds = int(file.read().split()[0]) / 1e9
            with open(f"/proc/{process}/task/{thread}/comm") as file:
                name = file.read().strip()
            if int(thread) == process:
                main = seconds
            elif name.endswith(READER) and "overcommit" not in name:
                readers[thread] = seconds
    except OSError:
        return None
    return main, readers


def measure(words):
    """Seconds: until the readers start, of all readers, of the main thread meanwhile, after their end, and of all."""
    start = time.monotonic()
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL)
    samples, greatest = [], {}
    while process.poll() is None:
        times = thread_times(process.pid)
        if times:
            greatest.update(times[1])
            samples.append((time.monotonic() - start, times[0], sum(greatest.values())))
        time.sleep(0.002)
    wall = time.monotonic() - start
    if process.returncode != 0:
        sys.exit(f"{words[0]} failed")
    readers = samples[-1][2]
    first = next(sample for sample in samples if sample[2] > 0)
    last = next(sample for sample in samples if sample[2] > readers - 0.001)
    return first[0], readers, last[1] - first[1], wall - last[0], wall


def main(tool, library, output, runs="5"):
    words = [tool, "migrate", library, "--output", output]
    results = []
    for _ in range(int(runs)):
        for suffix in ["", ".migration.json", ".rejects.ndjson"]:
            if os.path.exists(output + suffix):
                os.remove(output + suffix)
        results.append(measure(words))
    head, readers, apply, tail, wall = (statistics.median(column) for column in zip(*results))
    print(f"before the readers {head:.2f} s, readers {readers:.2f} s, main thread meanwhile {apply:.2f} s, after {tail:.2f} s")
    print(f"measured with {os.cpu_count()} processors: {wall:.2f} s (medians of {runs} runs)")
    for processors in [1, 2, 4, 8, 16]:
        middle = max(apply, (readers + apply) / processors)
        limit = "the main thread" if middle == apply else "the readers"
        print(f"computed for {processors:2}: {head + middle + tail:.2f} s, limited by {limit}")


if __name__ == "__main__":
    main(*sys.argv[1:])
