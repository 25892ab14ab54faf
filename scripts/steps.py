"""Runs the steps of `make test`, some of them side by side, and counts them.

A step is shown whole: as it comes where it runs alone, and where others run beside it when it ends, from
a file in target/test-logs. Every step runs, also after a failure.
"""

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LOGS = ROOT / "target/test-logs"
# Seconds after which those steps are named that are at work and show nothing yet.
PULSE = 60
# Seconds that a step has to end by itself when it is told to.
GRACE = 10
# So many lines of a step that failed are shown once more at the end.
LAST_LINES = 30
# Seconds after which a step hangs: several times what the longest takes, so that only what would never
# end is ended, and the others still run.
LIMIT = 2400


@dataclass
class Tool:
    """What a step needs that may be absent: it is there when the command succeeds."""

    check: list
    name: str
    how: str

    def is_there(self):
        quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        try:
            return subprocess.run(self.check, **quiet).returncode == 0
        except FileNotFoundError:
            return False


@dataclass
class Step:
    name: str
    command: list
    # Patterns of files, as further arguments.
    files: list = field(default_factory=list)
    needs: list = field(default_factory=list)
    # Steps of other lanes that have to be over before.
    after: list = field(default_factory=list)
    # "ok", "FAILED: ..." or "SKIPPED ...", once it is known.
    outcome: str = ""
    title: str = ""

    def words(self):
        return self.command + sorted(str(path) for pattern in self.files for path in Path().glob(pattern))


class Run:
    """One run of `make test`."""

    def __init__(self, steps):
        self.steps = steps
        self.began = time.monotonic()
        # Held by who prints, and for what is at work: process by step.
        self.lock = threading.Lock()
        self.at_work = {}
        self.is_stopped = False
        for number, step in enumerate(steps, 1):
            step.title = f"{number}/{len(steps)}"
        # Of the run before: a step that runs alone writes none.
        shutil.rmtree(LOGS, ignore_errors=True)
        LOGS.mkdir(parents=True)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self.stop)

    def one_by_one(self, steps):
        self.wait_for([threading.Thread(target=self.alone, args=[steps], daemon=True)])

    def side_by_side(self, *lanes):
        self.wait_for([threading.Thread(target=self.lane, args=[lane], daemon=True) for lane in lanes])

    def wait_for(self, threads):
        """This thread waits for no process, so that it hears a signal at any time."""
        for thread in threads:
            thread.start()
        said = time.monotonic()
        while any(thread.is_alive() for thread in threads):
            time.sleep(0.1)
            if len(threads) > 1 and time.monotonic() - said >= PULSE:
                said = time.monotonic()
                self.pulse()

    def alone(self, steps):
        for step in steps:
            if not self.skips(step):
                self.say(f"\n== {step.title} {step.name}")
                self.finish(step, *self.execute(step, None))

    def lane(self, steps):
        for step in steps:
            while not all(before.outcome for before in step.after):
                time.sleep(0.1)
            if self.skips(step):
                continue
            self.say(f"\n-- {step.title} {step.name}: begins")
            log = log_of(step)
            with log.open("wb") as output:
                failure, seconds = self.execute(step, output)
            with self.lock:
                print(f"\n== {step.title} {step.name}", flush=True)
                with log.open("rb") as said:
                    shutil.copyfileobj(said, sys.stdout.buffer)
                sys.stdout.flush()
            self.finish(step, failure, seconds)

    def execute(self, step, output):
        """Runs the command in a group of its own, which can be stopped whole; nothing asks a question."""
        began = time.monotonic()
        streams = {"stdin": subprocess.DEVNULL, "stdout": output, "stderr": output and subprocess.STDOUT}
        with self.lock:
            if self.is_stopped:
                sys.exit()
            try:
                process = subprocess.Popen(step.words(), start_new_session=True, **streams)
            except OSError as error:
                return error, 0
            self.at_work[step.title] = (process, began)
        failure = ended(process)
        with self.lock:
            del self.at_work[step.title]
        return failure, round(time.monotonic() - began)

    def finish(self, step, failure, seconds):
        step.outcome = f"FAILED: {failure}" if failure else "ok"
        self.say(f"== {step.title} {step.outcome}, {seconds} s")

    def skips(self, step):
        """Whether something is absent; then it says how to get it."""
        absent = next((tool for tool in step.needs if not tool.is_there()), None)
        if absent is not None:
            step.outcome = f"SKIPPED {absent.name}: {absent.how}"
            self.say(f"\n== {step.title} {step.name}\n{step.outcome}")
        return absent is not None

    def say(self, text):
        with self.lock:
            print(text, flush=True)

    def pulse(self):
        with self.lock:
            now = time.monotonic()
            at_work = [f"{title} for {round(now - began)} s" for title, (_, began) in self.at_work.items()]
            print(f"-- at work: {', '.join(at_work)}", flush=True)

    def summary(self):
        """The last line counts; returns the exit status."""
        passed = [step for step in self.steps if step.outcome == "ok"]
        skipped = [step for step in self.steps if step.outcome.startswith("SKIPPED")]
        failed = [step for step in self.steps if step not in passed + skipped]
        self.say(f"\n== all steps done, {round(time.monotonic() - self.began)} s")
        for step in filter(lambda step: log_of(step).exists(), failed):
            self.say(last_lines(step))
        for step in failed:
            self.say(f"FAILED step {step.title}, {step.name}")
        for step in skipped:
            self.say(step.outcome)
        self.say(f"{len(passed)} passed, {len(failed)} failed, {len(skipped)} skipped")
        return 1 if failed else 0

    def stop(self, number, _frame):
        """Ends what runs, each step with all that it started, and then this."""
        for again in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(again, signal.SIG_IGN)
        self.is_stopped = True
        processes = [process for process, _ in list(self.at_work.values())]
        deadline = time.monotonic() + GRACE
        send(processes, signal.SIGTERM)
        while time.monotonic() < deadline and any(process.returncode is None for process in processes):
            time.sleep(0.1)
        send(processes, signal.SIGKILL)
        print("\n== stopped", flush=True)
        os._exit(128 + number)


def log_of(step):
    return LOGS / f"{step.title.split('/')[0]}.log"


def last_lines(step):
    """What a step said last, where it ran beside others: it stands far above by then."""
    lines = log_of(step).read_text(encoding="utf-8", errors="replace").splitlines()[-LAST_LINES:]
    return "\n".join([f"-- {step.title} {step.name}: its last lines", *lines, ""])


def ended(process):
    """Waits for its end; what was wrong with that, if anything."""
    try:
        status = process.wait(LIMIT)
    except subprocess.TimeoutExpired:
        send([process], signal.SIGTERM)
        try:
            process.wait(GRACE)
        except subprocess.TimeoutExpired:
            pass
        # Also what it started and left, which is in its group.
        send([process], signal.SIGKILL)
        process.wait()
        return f"it did not end in {LIMIT} s"
    return f"exit status {status}" if status else None


def send(processes, number):
    for process in processes:
        try:
            os.killpg(process.pid, number)
        except ProcessLookupError:
            pass
