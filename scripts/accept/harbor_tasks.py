"""A public set of Harbor's tasks, imported and verified: `npm run accept:harbor-tasks -- <checkout> [--minutes 40] [--tasks a,b]`.

Imports every task, compares how each is verified with what people found for Terminal-Bench 2, and plays the solution and the
untouched start of those that need nothing but package registries. No image is pulled: the bases that Dockerfiles name are
stood in for by one of debootstrap's, with Python 3.13 (as root, on Debian). Images go again when their task is done.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench_server import ROOT, Throwaway, down, node

BASE = "bench-accept-base:python3.13"
STOOD_IN_FOR = ("python:3.1*", "ubuntu:*", "debian:*")
PACKAGES = (
    "python3,python3-dev,python3-pip,python3-venv,python-is-python3,ca-certificates,procps,curl"
)
AUTHORITIES = Path("/etc/ssl/certs/ca-certificates.crt")

# Terminal-Bench 2's 89 tasks as people read them; the others are verified in a clean room.
SAME_IMAGE = [
    "adaptive-rejection-sampler",
    "build-cython-ext",
    "build-pmars",
    "build-pov-ray",
    "caffe-cifar-10",
    "compile-compcert",
    "headless-terminal",
    "largest-eigenval",
    "mcmc-sampling-stan",
    "rstan-to-pystan",
    "sqlite-with-gcov",
]
LIVE = [
    "configure-git-webserver",
    "git-multibranch",
    "hf-model-inference",
    "install-windows-3.11",
    "kv-store-grpc",
    "mailman",
    "nginx-request-logging",
    "pypi-server",
    "qemu-alpine-ssh",
    "qemu-startup",
]

REGISTRIES = (
    *("pypi.org", "pythonhosted.org", "debian.org", "astral.sh"),
    *("localhost", "127.0.0.1", "0.0.0.0"),
)
FETCHES = re.compile(
    r"\b(?:git\s+clone|git\s+ls-remote|wget|curl|hf\s+download|huggingface)\b|^ARG\s+\w*URL="
)
# Of Python, whose addresses stand on other lines than its calls.
CALLS = re.compile(r"\burlretrieve\(|\burlopen\(|\brequests\.(?:get|post)\(")


@dataclass
class Outcome:
    task: str
    verification: str
    seconds: float
    # passes, fails, lacks (files of the checkout), wants (hosts that no registry is), root, left (no time)
    result: str
    detail: str


def bench(home: Path, *args: str, seconds: float | None = None) -> tuple[int, Any]:
    command = [node(), str(ROOT / "dist/cli/main.js"), *args, "--json"]
    env = {**os.environ, "BENCH_HOME": str(home)}
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=seconds)
    if not done.stdout.strip():
        raise SystemExit(f"bench {' '.join(args)}: {done.stderr[-2000:]}")
    return done.returncode, json.loads(done.stdout)


def docker(*args: str) -> str:
    return subprocess.run(["docker", *args], capture_output=True, text=True, check=True).stdout


def make_base(folder: Path) -> None:
    """Like Python's own images: what pip installs goes to the system. With the index of packages, so that no task fetches it again."""
    if docker("images", "-q", BASE).strip():
        return
    print(f"making {BASE} with debootstrap", flush=True)
    tree = folder / "base"
    subprocess.run(
        ["debootstrap", "--variant=minbase", f"--include={PACKAGES}", "trixie", str(tree)],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    # Solutions fetch packages at run time: where mirrors have an authority of their own, the image must know it.
    shutil.copy(AUTHORITIES, tree / AUTHORITIES.relative_to("/"))
    with subprocess.Popen(["tar", "-C", str(tree), "-c", "."], stdout=subprocess.PIPE) as tar:
        subprocess.run(
            ["docker", "import", "-", f"{BASE}-raw"],
            stdin=tar.stdout,
            check=True,
            stdout=subprocess.DEVNULL,
        )
    shutil.rmtree(tree)
    text = (
        f"FROM {BASE}-raw\n"
        """RUN echo 'Acquire::Languages "none";' > /etc/apt/apt.conf.d/90languages && apt-get update"""
        " && rm -f /usr/lib/python3*/EXTERNALLY-MANAGED\nENV LANG=C.UTF-8\n"
    )
    subprocess.run(
        ["docker", "build", "-q", "-t", BASE, "-"],
        input=text.encode(),
        check=True,
        capture_output=True,
    )


def foreign_hosts(folder: Path) -> list[str]:
    """Hosts that the image, the solution or the tests fetch from, registries of packages apart."""
    hosts: set[str] = set()
    for path in [
        folder / "environment/Dockerfile",
        *folder.glob("environment/*.sh"),
        *folder.glob("solution/*.*"),
        *folder.glob("tests/*.sh"),
        *folder.glob("tests/*.py"),
    ]:
        if path.suffix not in ("", ".sh", ".py"):
            continue
        text = path.read_text(errors="replace").replace("\\\n", " ") if path.exists() else ""
        if path.parent.name == "solution" and "from_pretrained(" in text:
            hosts.add("huggingface.co")
        if CALLS.search(text):
            hosts.update(re.findall(r"https?://([\w.-]+)", text))
        for line in text.splitlines():
            if line.lstrip().startswith("#"):
                continue
            fetched = re.findall(r"https?://([\w.-]+)", line) if FETCHES.search(line) else []
            hosts.update(
                fetched + re.findall(r"--(?:extra-)?index-url[ =]https?://([\w.-]+)", line)
            )
            # An image of another registry.
            hosts.update(re.findall(r"--from=([\w-]+\.[\w.-]+)/", line))
            if "huggingface" in line or "load_dataset(" in line or "mteb.get_model(" in line:
                hosts.add("huggingface.co")
    return sorted(host for host in hosts if not host.endswith(REGISTRIES))


def missing_files(folder: Path) -> list[str]:
    """That the image copies, and this checkout has not: large files may be kept elsewhere."""
    text = (folder / "environment/Dockerfile").read_text(errors="replace")
    named = re.findall(r"^COPY\s+([\w./-]+)\s+\S+\s*$", text, re.MULTILINE)
    return [name for name in named if not (folder / "environment" / name).exists()]


def wants_root(folder: Path) -> bool:
    """Its solution installs for the whole system, which bench's agents may not."""
    text = (folder / "solution/solve.sh").read_text(errors="replace")
    roots = r"(?:(?:apt|apt-get|useradd|adduser|chpasswd|systemctl)\s|service\s+\S+\s+(?:re)?start)"
    return re.search(rf"^\s*(?:sudo\s+|\w+=\S+\s+)*{roots}", text, re.MULTILINE) is not None


def weight(folder: Path) -> tuple[int, int]:
    """What is cheap to build goes first."""
    built = (folder / "environment/Dockerfile").read_text(errors="replace")
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    return len(re.findall(r"\binstall\b", built)), size


def images() -> list[str]:
    """Made of the base alone; the newest first."""
    listed = docker("images", "--format", "{{.ID}} {{.Repository}}").splitlines()
    found = [
        line.split()[0] for line in listed if re.search(r" bench-(?:task|environment|agent)$", line)
    ]
    layer = json.loads(docker("image", "inspect", BASE))[0]["RootFS"]["Layers"][-1]
    return [one for one in found if layer in docker("image", "inspect", one)]


def verify(home: Path, task: str, seconds: float) -> tuple[bool, str]:
    try:
        code, said = bench(
            home,
            "tasks",
            "verify",
            task,
            "--backend",
            "docker",
            "--concurrency",
            "1",
            seconds=seconds,
        )
    except subprocess.TimeoutExpired:
        return False, f"took longer than {seconds:.0f} s"
    finally:
        for image in images():
            subprocess.run(["docker", "rmi", "-f", image], capture_output=True)
    if "tasks" not in said:
        return False, said.get("message") or said.get("error", {}).get("message") or str(said)
    checks = said["tasks"][0]["checks"]
    wrong = [
        f"{check['name']}: {check['detail']}" for check in checks if check["status"] == "failed"
    ]
    passed = [check["detail"] for check in checks if check["name"] in ("baseline", "oracle")]
    return code == 0, "; ".join(wrong or passed)


def compare_classes(tasks: list[dict[str, Any]]) -> None:
    expected = dict.fromkeys(SAME_IMAGE, "same-image") | dict.fromkeys(LIVE, "live")
    if not set(expected) <= {task["task"] for task in tasks}:
        print("classes: not compared, this is not the whole of Terminal-Bench 2")
        return
    other = [t for t in tasks if t["verification"] != expected.get(t["task"], "clean-room")]
    for task in other:
        print(
            f"  {task['task']} is {task['verification']}, read as {expected.get(task['task'], 'clean-room')}"
        )
    print(f"classes: {len(tasks) - len(other)} of {len(tasks)} as people read them")


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("checkout", type=Path)
    options.add_argument("--tasks", default="", help="only these, by name")
    options.add_argument(
        "--minutes", type=float, default=40, help="begin no further task after that"
    )
    options.add_argument("--task-minutes", type=float, default=12, help="most for one task")
    options.add_argument(
        "--live", action="store_true", help="also those that need the agent's processes"
    )
    asked = options.parse_args()
    only = [name for name in asked.tasks.split(",") if name]
    outcomes: list[Outcome] = []
    with Throwaway() as place:
        try:
            bases = [f"--base={name}={BASE}" for name in STOOD_IN_FOR]
            wanted = [
                *(["--tasks", ",".join(only)] if only else []),
                *(["--live"] if asked.live else []),
            ]
            _, found = bench(
                place.home,
                "tasks",
                "import",
                "harbor",
                str(asked.checkout),
                "--build",
                *bases,
                *wanted,
            )
            tasks = found["tasks"]
            print(f"imported: {found['imported']} of {len(tasks)}")
            for task in tasks:
                for one in task["refusals"]:
                    print(f"  {task['task']}: {one['file']}: {one['key']}: {one['reason']}"[:160])
            compare_classes(tasks)
            make_base(place.folder)
            folders = {path.parent.name: path.parent for path in asked.checkout.rglob("task.toml")}
            ready = sorted(
                (t for t in tasks if t["id"] is not None), key=lambda t: weight(folders[t["task"]])
            )
            until = time.monotonic() + 60 * asked.minutes
            for task in ready:
                name, began = task["task"], time.monotonic()
                if files := missing_files(folders[name]):
                    result, detail = "lacks", f"{', '.join(files)}: not in the checkout"
                elif hosts := foreign_hosts(folders[name]):
                    result, detail = "wants", ", ".join(hosts)
                elif wants_root(folders[name]) and not only:
                    result, detail = "root", "the solution installs packages of the system"
                elif began > until:
                    result, detail = "left", "no time"
                else:
                    good, detail = verify(place.home, task["id"], 60 * asked.task_minutes)
                    result = "passes" if good else "fails"
                outcomes.append(
                    Outcome(name, task["verification"], time.monotonic() - began, result, detail)
                )
                line = outcomes[-1]
                shown = " ".join(detail.split())[:200]
                print(
                    f"{name:<34}{line.verification:<12}{result:<8}{line.seconds:>5.0f} s  {shown}",
                    flush=True,
                )
        finally:
            down(place.home)
    counts = {
        result: sum(o.result == result for o in outcomes)
        for result in ("passes", "fails", "lacks", "wants", "root", "left")
    }
    print(
        f"{counts['passes']} of {counts['passes'] + counts['fails']} that were played pass with their solution and not"
        f" untouched; {counts['lacks']} lack files, {counts['wants']} want other hosts, {counts['root']} root,"
        f" {counts['left']} had no time"
    )
    return 0 if counts["fails"] == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
