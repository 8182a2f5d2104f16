#!/usr/bin/env python3
"""Changes the sources in small ways, and tells which changes no test notices.

usage: mutate.py [--seed N] [--count N] [--modules A,B] [--seconds N] [--at FILE:LINE,...] [--suites PATTERN]

All of it happens in a copy, .build/mutate. Each change becomes a switch, such as
`(Mutant.on(17) ? (a <= b) : (a < b))`, and one build holds them all; what does not compile is taken out. One run of each
suite notes which switches it passes. Then each change is turned on by itself, and the suites that pass it are run, the
quick ones first, until one fails. If it is stopped, run it again with the same arguments: it goes on where it was, and
after the tests were changed it tries what they did not notice.
"""

import argparse
import concurrent.futures
import fcntl
import hashlib
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import swift_places

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = "tracks-migratePackageTests.xctest"
VARIABLE = "TRACKS_MIGRATE_MUTANT"
# Literals are most of the places and tell least of each other.
WEIGHTS = {"number": 0.35, "condition": 0.8, "statement": 1.2, "nothing": 0.6}

SWITCH = """\
#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// Whether a change is on: the one whose number is in the variable. Where there is a path, the file of that name gets a
/// byte for each switch that is passed, by whatever process.
enum Mutant {
  private static let word: String = getenv("%(variable)s").map { String(cString: $0) } ?? ""
  private static let active = Int(word) ?? -1
  nonisolated(unsafe) private static let passed: UnsafeMutablePointer<UInt8>? = {
    guard word.hasPrefix("/") else { return nil }
    let descriptor = open(word, O_RDWR)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    let memory = mmap(nil, %(count)d, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
    guard let memory, memory != MAP_FAILED else { return nil }
    return memory.assumingMemoryBound(to: UInt8.self)
  }()

  @inline(never) static func on(_ number: Int) -> Bool {
    if let passed { passed[number] = 1 }
    return number == active
  }
}
"""


def say(text):
    print(text, flush=True)


def files_of_checkout():
    names = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT, check=True, capture_output=True,
        text=True).stdout.splitlines()
    return sorted(name for name in names if (ROOT / name).is_file())


def module_of(name):
    """The module that a source belongs to, where it is one of those that are changed."""
    parts = name.split("/")
    if not name.endswith(".swift") or "/".join(parts[:-1]).endswith(".docc"):
        return None
    # What the user's toolchain compiles does not see the switch of the changes.
    if name.startswith("Sources/Engine/SwiftSchemas/Program/"):
        return None
    if parts[0] == "Policies":
        return "Policies"
    return parts[2] if parts[0] == "Sources" and len(parts) > 3 else None


def write(path, text):
    """Writes a file where it is another one: what stays the same is not compiled again."""
    path.parent.mkdir(parents=True, exist_ok=True)
    data = text if isinstance(text, bytes) else text.encode()
    if not path.exists() or path.read_bytes() != data:
        path.write_bytes(data)


class Mutation:
    """All that is known of one run; kept in a file."""

    def __init__(self, arguments):
        self.arguments = arguments
        self.names = files_of_checkout()
        self.texts = {name: (ROOT / name).read_text() for name in self.names if module_of(name)}
        words = [str(arguments.seed), str(arguments.count), arguments.modules, arguments.at]
        self.key = self.digest(words, ("Sources/", "Policies/", "Package.swift", "Scripts/mutate/swift_places.py"))
        self.tests_key = self.digest([arguments.suites], ("Tests/",))
        self.folder = ROOT / ".build" / "mutate"
        self.copy = self.folder / "checkout"
        self.folder.mkdir(parents=True, exist_ok=True)
        # Two at once would be in each other's way.
        self.lock = open(self.folder / "lock", "w")
        try:
            fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            sys.exit("mutate: another run is at work in .build/mutate")
        self.path = self.folder / "state.json"
        self.state = {"key": self.key, "mutants": [], "dropped": [], "suites": {}, "results": {}}
        if self.path.exists():
            saved = json.loads(self.path.read_text())
            if saved.get("key") == self.key:
                self.state = saved
        if self.state.get("tests_key") != self.tests_key:
            # Other tests may notice more; what was noticed is not tried again.
            noticed = {number: one for number, one in self.state["results"].items() if one["killed"]}
            self.state |= {"tests_key": self.tests_key, "suites": {}, "results": noticed}
        self.deadline = time.time() + arguments.seconds if arguments.seconds else None
        # Where the tests keep what may be forgotten, so that what a process leaves that was ended is found.
        self.memory = pathlib.Path("/dev/shm" if os.path.isdir("/dev/shm") else self.folder) / (
            "tracks-migrate-mutate-" + hashlib.sha256(str(ROOT).encode()).hexdigest()[:12])

    def digest(self, words, beginnings):
        digest = hashlib.sha256("\n".join(words).encode())
        for name in self.names:
            if name.startswith(beginnings):
                digest.update(name.encode() + b"\0" + (ROOT / name).read_bytes())
        return digest.hexdigest()

    def save(self):
        temporary = self.path.with_suffix(".new")
        temporary.write_text(json.dumps(self.state))
        temporary.replace(self.path)

    def is_late(self):
        return self.deadline is not None and time.time() > self.deadline

    # --- Choosing ---

    def choose(self):
        if self.state["mutants"]:
            return
        generator = random.Random(self.arguments.seed)
        modules = set(filter(None, self.arguments.modules.split(",")))
        wanted = [entry.rsplit(":", 1) for entry in self.arguments.at.split(",") if entry]
        found = {}
        for name in sorted(self.texts):
            module = module_of(name)
            if modules and module not in modules:
                continue
            text = self.texts[name]
            for place in swift_places.places(text):
                line = text.count("\n", 0, place.start) + 1
                if wanted and not any(name.endswith(file) and str(line) == number for file, number in wanted):
                    continue
                found.setdefault(module, []).append({
                    "file": name, "module": module, "line": line, "lines": place.before.count("\n") + 1,
                    "kind": place.kind, "start": place.start, "end": place.end, "before": place.before,
                    "after": place.after, "new": place.new})
        total = sum(map(len, found.values()))
        chosen = []
        for module in sorted(found):
            places = found[module]
            count = len(places) if wanted else max(3, round(self.arguments.count * len(places) / max(1, total)))
            # Each with its weight, none twice.
            places.sort(key=lambda place: generator.random() ** (1 / WEIGHTS.get(place["kind"], 1)), reverse=True)
            taken = {}
            for place in places:
                if count == 0:
                    break
                others = taken.setdefault(place["file"], [])
                if any(place["start"] < end and start < place["end"] for start, end in others):
                    continue
                others.append((place["start"], place["end"]))
                chosen.append(place)
                count -= 1
        for number, place in enumerate(chosen):
            place["number"] = number
        self.state["mutants"] = chosen
        self.save()

    # --- Building ---

    def prepare(self):
        """Brings the copy up to date, with the changes that are left."""
        dropped = set(self.state["dropped"])
        by_file = {}
        for mutant in self.state["mutants"]:
            if mutant["number"] not in dropped:
                by_file.setdefault(mutant["file"], []).append(mutant)
        kept = set(self.names)
        for name in self.names:
            if name in by_file:
                text = self.texts[name]
                for mutant in sorted(by_file[name], key=lambda one: -one["start"]):
                    new = mutant["new"].replace("@", f"Mutant.on({mutant['number']})", 1)
                    text = text[: mutant["start"]] + new + text[mutant["end"] :]
                write(self.copy / name, text)
            else:
                write(self.copy / name, (ROOT / name).read_bytes())
                shutil.copymode(ROOT / name, self.copy / name)
        folders = {m["module"]: "/".join(m["file"].split("/")[: 1 if m["module"] == "Policies" else 3]) for m in self.state["mutants"]}
        for folder in folders.values():
            name = f"{folder}/{GENERATED}"
            write(self.copy / name, SWITCH % {"variable": VARIABLE, "count": max(1, len(self.state["mutants"]))})
            kept.add(name)
        for top in ("Sources", "Policies", "Tests"):
            for path in (self.copy / top).rglob("*"):
                if path.is_file() and str(path.relative_to(self.copy)) not in kept:
                    path.unlink()
        # The processes that tests start know of the change as well, and leave nothing where others look.
        self.replace("Tests/CommandTests/Support/CommandRunner.swift", '"TMPDIR",', f'"TMPDIR", "{VARIABLE}",')
        self.replace("Tests/TestSupport/TemporaryFolder.swift", 'let memory = "/dev/shm"', f'let memory = "{self.memory}"')

    def replace(self, name, old, new):
        text = (ROOT / name).read_text()
        if text.count(old) != 1:
            sys.exit(f"mutate: {name} has no {old} any more; mend Scripts/mutate/mutate.py")
        write(self.copy / name, text.replace(old, new))

    def build(self):
        """Builds, takes out what the compiler does not take, and builds again."""
        for turn in range(1, 60):
            self.prepare()
            log = self.folder / "build.log"
            started = time.time()
            with open(log, "w") as output:
                status = subprocess.run(
                    ["swift", "build", "--build-tests", "-Xswiftc", "-Xfrontend", "-Xswiftc",
                     "-solver-expression-time-threshold=20"],
                    cwd=self.copy, stdout=output, stderr=subprocess.STDOUT, env=self.environment()).returncode
            taken = self.drop(log.read_text(errors="replace")) if status else 0
            say(f"build {turn}: {time.time() - started:.0f} s" + (f", {taken} changes do not compile" if taken else ""))
            if status == 0:
                return
            if not taken:
                sys.exit(f"mutate: the copy does not build, see {log}")
        sys.exit("mutate: the copy does not build after 60 turns")

    def drop(self, log):
        dropped = set(self.state["dropped"])
        before = len(dropped)
        left = [mutant for mutant in self.state["mutants"] if mutant["number"] not in dropped]
        for name, line in set(re.findall(rf"{re.escape(str(self.copy))}/(\S+?\.swift):(\d+):\d+: error:", log)):
            line = int(line)
            inside = [one for one in left if one["file"] == name and one["line"] <= line < one["line"] + one["lines"]]
            # The compiler may tell of a place that is not the changed one.
            near = sorted((one for one in left if one["file"] == name), key=lambda one: abs(one["line"] - line))
            for mutant in inside or near[:1]:
                dropped.add(mutant["number"])
        if len(dropped) == before and "error:" in log:
            for name in set(re.findall(rf"{re.escape(str(self.copy))}/(\S+?\.swift)", log)):
                dropped.update(one["number"] for one in left if one["file"] == name)
        self.state["dropped"] = sorted(dropped)
        self.save()
        return len(dropped) - before

    # --- Running ---

    def environment(self, word=""):
        temporary = self.folder / "tmp"
        temporary.mkdir(exist_ok=True)
        self.memory.mkdir(exist_ok=True)
        return {
            **os.environ, "TMPDIR": str(temporary), VARIABLE: word, "SWIFT_BACKTRACE": "enable=no",
            "CRASH_SEED": "1"}

    def run(self, suites, word, timeout):
        """Runs suites.

        Returns whether they passed, how long it took, and what failed.
        """
        pattern = "|".join("^" + re.escape(suite) + "[./]" for suite in suites)
        started = time.time()
        with tempfile.TemporaryFile() as output:
            process = subprocess.Popen(
                [str(self.copy / ".build/debug" / BINARY), "--testing-library", "swift-testing", "--filter", pattern],
                cwd=self.copy, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
                env=self.environment(word), start_new_session=True)
            # It is not waited for yet: until then no other process gets its number, nor that of its group.
            flags = os.WEXITED | os.WNOHANG | os.WNOWAIT
            while not (has_ended := os.waitid(os.P_PID, process.pid, flags)) and time.time() < started + timeout:
                time.sleep(0.02)
            # With all that it has started.
            os.killpg(process.pid, signal.SIGKILL)
            passed = process.wait() == 0 and bool(has_ended)
            output.seek(0)
            failed = re.search(rb"\xe2\x9c\x98 Test (.*?) (?:recorded|failed)", output.read())
        reason = (
            failed.group(1).decode(errors="replace") if failed
            else f"status {process.returncode}" if has_ended else "it took too long")
        return passed, time.time() - started, reason

    def suites(self):
        """The names of all suites."""
        output = subprocess.run(
            ["swift", "test", "list", "--skip-build"], cwd=self.copy, capture_output=True, text=True,
            env=self.environment()).stdout
        names = set()
        for line in output.splitlines():
            # Module.Suite/test(), where the name of a test may hold anything between backticks.
            match = re.match(r"(\w+\.(?:\w+|`[^`]+`)(?:/(?:[A-Z]\w*|`[^`(]+`)(?=/))*)/", line)
            if match and re.search(self.arguments.suites, match.group(1)):
                names.add(match.group(1))
        return sorted(names)

    def look(self):
        """Runs each suite once, to see how long it takes and which changes it passes."""
        todo = [name for name in self.suites() if name not in self.state["suites"]]
        if todo:
            say(f"{len(todo)} suites are run without a change")
        count = max(1, len(self.state["mutants"]))

        def one(name):
            if self.is_late():
                return
            path = self.folder / f"passed-{hashlib.sha256(name.encode()).hexdigest()[:12]}"
            path.write_bytes(bytes(count))
            passed, seconds, reason = self.run([name], str(path), 1200)
            switches = [number for number, byte in enumerate(path.read_bytes()) if byte]
            path.unlink()
            if not passed:
                say(f"without a change {name} fails, and is left out: {reason}")
            self.state["suites"][name] = {"passed": passed, "seconds": seconds, "switches": switches}

        with concurrent.futures.ThreadPoolExecutor(self.arguments.jobs) as pool:
            for number, _ in enumerate(pool.map(one, todo)):
                if number % 20 == 19:
                    self.save()
        self.save()
        return not self.is_late()

    def try_all(self):
        dropped = set(self.state["dropped"])
        suites = self.state["suites"]
        todo = [
            one for one in self.state["mutants"]
            if one["number"] not in dropped and str(one["number"]) not in self.state["results"]]
        say(f"{len(todo)} changes are tried")

        def one(mutant):
            number = mutant["number"]
            names = sorted(
                (name for name, suite in suites.items() if suite["passed"] and number in suite["switches"]),
                key=lambda name: suites[name]["seconds"])
            if not names:
                return mutant, {"killed": False, "reason": "no test comes by"}
            rest = names
            while rest:
                if self.is_late():
                    return mutant, None
                # A few at once: to start a process takes as long as a quick suite.
                batch, seconds = [], 0
                for name in rest:
                    if batch and seconds + suites[name]["seconds"] > 5:
                        break
                    batch.append(name)
                    seconds += suites[name]["seconds"]
                rest = rest[len(batch) :]
                passed, _, reason = self.run(batch, str(number), 20 + 6 * seconds)
                if not passed:
                    return mutant, {"killed": True, "reason": reason}
            return mutant, {"killed": False, "reason": f"{len(names)} suites pass"}

        with concurrent.futures.ThreadPoolExecutor(self.arguments.jobs) as pool:
            for mutant, result in pool.map(one, todo):
                if result is None:
                    continue
                self.state["results"][str(mutant["number"])] = result
                self.save()
                if not result["killed"]:
                    say(self.line(mutant, result))

    def unmount(self):
        """Lets go of the small disks that tests have mounted which were ended before they could do so."""
        mounts = pathlib.Path("/proc/mounts")
        for line in mounts.read_text().splitlines() if mounts.exists() else []:
            path = line.split()[1].encode().decode("unicode_escape")
            if path.startswith((f"{self.folder}/", f"{self.memory}/")):
                subprocess.run(["umount", path], check=False)

    # --- Telling ---

    @staticmethod
    def line(mutant, result):
        def short(text):
            text = " ".join(text.split())
            return text if len(text) <= 90 else text[:87] + "..."

        after = short(mutant["after"]) or "nothing"
        return f"  {mutant['file']}:{mutant['line']}: {short(mutant['before'])}  ->  {after}  ({result['reason']})"

    def tell(self):
        dropped = set(self.state["dropped"])
        modules = {}
        say("\nNo test notices:")
        for mutant in sorted(self.state["mutants"], key=lambda one: (one["file"], one["start"])):
            result = self.state["results"].get(str(mutant["number"]))
            if mutant["number"] in dropped or result is None:
                continue
            figures = modules.setdefault(mutant["module"], [0, 0])
            figures[0] += result["killed"]
            figures[1] += 1
            if not result["killed"]:
                say(self.line(mutant, result))
        say("")
        for module, (killed, tried) in sorted(modules.items()):
            say(f"{module:18} {killed:4} of {tried:4} noticed, {100 * killed / tried:5.1f} %")
        killed, tried = (sum(figures[place] for figures in modules.values()) for place in (0, 1))
        left = len(self.state["mutants"]) - len(dropped) - tried
        say(
            f"mutate: seed {self.arguments.seed}: {tried} changes tried, {killed} noticed"
            + (f" ({100 * killed / tried:.1f} %)" if tried else "") + f", {len(dropped)} do not compile"
            + (f"; {left} are left, the next run goes on from here" if left else ""))


GENERATED = "Mutant+Generated.swift"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=300, help="about how many changes in all; each module has three")
    parser.add_argument("--modules", default="", help="only these, with commas between")
    parser.add_argument("--seconds", type=int, default=0, help="after how long no more is begun")
    parser.add_argument("--at", default="", help="all changes of these lines instead, such as StagingFile.swift:82")
    parser.add_argument("--suites", default="", help="only suites whose names fit this regular expression")
    parser.add_argument("--jobs", type=int, default=max(1, (os.cpu_count() or 2) // 2))
    mutation = Mutation(parser.parse_args())
    mutation.choose()
    if not mutation.state["mutants"]:
        sys.exit("mutate: there is no such place")
    try:
        mutation.build()
        if mutation.look():
            mutation.try_all()
    finally:
        mutation.unmount()
        shutil.rmtree(mutation.memory, ignore_errors=True)
        shutil.rmtree(mutation.folder / "tmp", ignore_errors=True)
    mutation.tell()


if __name__ == "__main__":
    main()
