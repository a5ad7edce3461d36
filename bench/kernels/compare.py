"""Measures Jupyter kernels side by side through Jupyter's own client: interrupts, lost output, start, cell time, memory.

usage: JUPYTER_PATH=FOLDER python compare.py FOLDER NAME=DIALECT [NAME=DIALECT ...]
FOLDER is the working folder of the kernels. DIALECT is gondwana, tslab, deno or python. Prints one JSON document.
Start and cell times are taken in turns over the kernels, three rounds; medians.
"""
import json
import os
import re
import statistics
import subprocess
import sys
import time
from queue import Empty

from jupyter_client.manager import KernelManager

ROUNDS = 3
CELLS = 31

INTERRUPTS = {
    "typescript": {
        "loop that never yields": "while (true) {}",
        "long await": "await new Promise((r) => setTimeout(r, 60000))",
        "busy loop after await": "await null; while (true) {}",
        "busy loop in a timer": "setTimeout(() => { while (true) {} }, 10); await new Promise((r) => setTimeout(r, 60000))",
        "loop with sleeps": "for (;;) { await new Promise((r) => setTimeout(r, 5)); }",
        "loop that swallows errors": "while (true) { try { while (true) {} } catch {} }",
        "Atomics.wait": "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 30000)",
        "child process": "import { execFileSync } from 'node:child_process'; execFileSync('sleep', ['20'])",
    },
    "python": {
        "loop that never yields": "while True: pass",
        "long await": "import asyncio; await asyncio.sleep(60)",
        "busy loop after await": "await asyncio.sleep(0)\nwhile True: pass",
        "busy loop in a timer": "import time\ndef spin():\n  while True: pass\nspin()",
        "loop with sleeps": "while True: time.sleep(0.005)",
        "loop that swallows errors": "while True:\n  try:\n    while True: pass\n  except ValueError: pass",
        "Atomics.wait": "import threading; threading.Event().wait(30)",
        "child process": "import subprocess; subprocess.run(['sleep', '20'])",
    },
}
CODE = {
    "typescript": {
        "keep": "const keep = 41;", "use": "keep + 1", "trivial": "1 + {i}", "flood": "for (let i = 0; i < 10000; i++) console.log(i)",
        "toolkit": "import * as gondwana from 'gondwana';\nimport * as aq from 'arquero';\ntypeof gondwana.mean + typeof aq.table",
    },
    "python": {
        "keep": "keep = 41", "use": "keep + 1", "trivial": "1 + {i}", "flood": "for i in range(10000): print(i)",
        "toolkit": "import json, decimal, statistics",
    },
}
# what a Deno cell calls node's and npm's packages
DENO = {"toolkit": "1"}


class Kernel:
    """One kernel and its client."""

    def __init__(self, name, dialect, folder):
        self.language = "python" if dialect == "python" else "typescript"
        self.code = CODE[self.language] | (DENO if dialect == "deno" else {})
        self.manager = KernelManager(kernel_name=name)
        started = time.monotonic()
        self.manager.start_kernel(cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.client = self.manager.client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=60)
        self.ready = time.monotonic() - started
        self.run(self.code["trivial"].format(i=1))
        self.first = time.monotonic() - started

    def run(self, code, timeout=60):
        """Executes a cell to its reply and its idle status; (seconds, reply status, lines of output, idle seen)."""
        started = time.monotonic()
        message = self.client.execute(code)
        reply, lines, idle = None, 0, False
        while time.monotonic() - started < timeout and not (reply and idle):
            try:
                answer = self.client.get_iopub_msg(timeout=0.02)
                if answer["parent_header"].get("msg_id") == message:
                    if answer["msg_type"] == "stream":
                        lines += answer["content"]["text"].count("\n")
                    idle |= answer["msg_type"] == "status" and answer["content"]["execution_state"] == "idle"
                continue
            except Empty:
                pass
            try:
                answer = self.client.get_shell_msg(timeout=0.001)
                if answer["parent_header"].get("msg_id") == message:
                    reply = answer["content"]["status"]
            except Empty:
                pass
        return time.monotonic() - started, reply, lines, idle

    def cell_ms(self):
        """Median time of trivial cells from the request to the idle status."""
        return statistics.median(self.idle_ms(self.code["trivial"].format(i=i)) for i in range(CELLS))

    def idle_ms(self, code):
        started = time.monotonic()
        message = self.client.execute(code)
        while True:
            answer = self.client.get_iopub_msg(timeout=30)
            if (answer["parent_header"].get("msg_id") == message and answer["msg_type"] == "status"
                    and answer["content"]["execution_state"] == "idle"):
                break
        elapsed = (time.monotonic() - started) * 1000
        self.client.get_shell_msg(timeout=5)
        return elapsed

    def memory_mb(self):
        """Resident memory of the kernel's processes."""
        group = str(os.getpgid(self.manager.provisioner.pid))
        rows = subprocess.run(["ps", "-eo", "pgid=,rss="], capture_output=True, text=True).stdout.split("\n")
        return sum(int(row.split()[1]) for row in rows if row.split()[:1] == [group]) / 1000

    def stop(self):
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)


def interrupts(name, dialect, folder):
    """How many of the cases end when asked, with the state kept."""
    passed = {}
    language = "python" if dialect == "python" else "typescript"
    for label, code in INTERRUPTS[language].items():
        kernel = Kernel(name, dialect, folder)
        kernel.run(kernel.code["keep"])
        if language == "python":
            kernel.run("import asyncio, time")
        message = kernel.client.execute(code)
        time.sleep(1)
        kernel.manager.interrupt_kernel()
        reply, end = None, time.monotonic() + 6
        while time.monotonic() < end and reply is None:
            try:
                answer = kernel.client.get_shell_msg(timeout=0.2)
                reply = answer["content"] if answer["parent_header"].get("msg_id") == message else None
            except Empty:
                pass
        time.sleep(0.4)  # plain tslab refuses cells for 0.2 s after an error
        kept = kernel.manager.is_alive() and kernel.run(kernel.code["use"], timeout=6)[1] == "ok"
        passed[label] = reply is not None and reply["status"] != "ok" and kept
        kernel.stop()
    return passed


def conformance(name, dialect):
    """Passed, failed and skipped tests of jupyter-kernel-test."""
    script = os.path.join(os.path.dirname(__file__), "..", "..", "test", "kernel", "jupyter", "conformance.py")
    env = os.environ | {"KERNEL": name, "DIALECT": dialect}
    text = subprocess.run([sys.executable, script, "-v"], env=env, capture_output=True, text=True).stderr
    total = int(re.search(r"Ran (\d+) test", text).group(1))
    # a test with several samples is told once for each that fails
    failed = len(set(re.findall(r"^(?:FAIL|ERROR): (test_\w+)", text, re.M)))
    skipped = sum(map(int, re.findall(r"skipped=(\d+)", text)))
    return {"passed": total - failed - skipped, "failed": failed, "skipped": skipped}


def main():
    folder, *pairs = sys.argv[1:]
    kernels = [tuple(pair.split("=")) for pair in pairs]
    times = {name: {"ready": [], "first": [], "cell": [], "after": [], "memory": [], "memory_after": []} for name, _ in kernels}
    for _ in range(ROUNDS):
        for name, dialect in kernels:
            kernel = Kernel(name, dialect, folder)
            row = times[name]
            row["ready"].append(kernel.ready)
            row["first"].append(kernel.first)
            row["cell"].append(kernel.cell_ms())
            row["memory"].append(kernel.memory_mb())
            assert kernel.run(kernel.code["toolkit"])[1] == "ok", f"{name} does not import the toolkit"
            row["after"].append(kernel.cell_ms())
            row["memory_after"].append(kernel.memory_mb())
            kernel.stop()
    rows = []
    for name, dialect in kernels:
        kernel = Kernel(name, dialect, folder)
        _, _, lines, idle = kernel.run(kernel.code["flood"], timeout=15)
        kernel.stop()
        cases = interrupts(name, dialect, folder)
        median = {key: statistics.median(values) for key, values in times[name].items()}
        rows.append({
            "kernel": name,
            "conformance": conformance(name, dialect),
            "interrupts": {"passed": sum(cases.values()), "of": len(cases), "failed": [k for k, v in cases.items() if not v]},
            "linesOf10000": lines, "idleAfterThem": idle,
            "readySeconds": round(median["ready"], 2), "firstResultSeconds": round(median["first"], 2),
            "cellMs": round(median["cell"], 1), "cellMsWithToolkit": round(median["after"], 1),
            "memoryMB": round(median["memory"]), "memoryMBWithToolkit": round(median["memory_after"]),
        })
    print(json.dumps(rows, indent=2))


if __name__ == "__main__":
    main()
