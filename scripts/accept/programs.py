"""npm run build && npm run accept:programs: eight agents, as their registries ship them, each play two games to the optimum
behind the gateway, while the provider fails and the worker is killed; then each meets a limit, and the
seconds until it ends are printed.

It needs Docker, npm and a Python package index; a client that cannot be had is skipped, and named. Names of agents as
arguments restrict it to them; `--calm` leaves out the faults.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
KEY = "canary-of-the-provider-4f9c1d7e2b"
AGENTS = {
    "claude-code": "claude-haiku-4.5",
    "codex": "gpt-4o",
    "mini-swe-agent": "gpt-4o",
    "gemini-cli": "gemini-of-the-trial",
    "opencode": "gpt-4o",
    "qwen-code": "gpt-4o",
    "cline": "gpt-4o",
    "aide": "gpt-4o",
}
# At the simulator's prices.
GEMINI = {
    "schema": 1,
    "description": "trial",
    "provider": "gemini",
    "model": "gemini-2.5-pro",
    "baseUrlVariable": "GEMINI_BASE_URL",
    "apiKeyVariable": "GEMINI_API_KEY",
    "contextWindow": 1_000_000,
    "maxOutputTokens": 60_000,
    "accepts": ["temperature", "topP"],
    "prices": [{"from": "2025-01-01", "input": 1, "cachedInput": 0.1, "output": 5}],
}
OPTIMA = {"battleOfSexes": 1.44, "prisonersDilemma": 2.62514}
FAULTS = ["429", "500", "cut", "500", "cut", "429"]


def bench(home: Path, env: dict[str, str], *arguments: str) -> str:
    done = subprocess.run(
        ["node", str(ROOT / "dist/cli/main.js"), *arguments],
        env={**os.environ, **env},
        cwd=home,
        stdout=subprocess.PIPE,
        check=False,
        text=True,
    )
    if done.returncode not in (0, 1):
        sys.exit(f"bench {' '.join(arguments)} exited with {done.returncode}")
    return done.stdout


def rows(home: Path, env: dict[str, str], query: str) -> list[dict[str, object]]:
    found = json.loads(bench(home, env, "sql", query, "--json"))
    return [dict(zip(found["columns"], row)) for row in found["rows"]]


def kill_worker(home: Path) -> None:
    services = json.loads((home / "services.json").read_text())["services"]
    try:
        os.kill(services["worker"]["process"]["pid"], signal.SIGKILL)
    except (ProcessLookupError, TypeError):
        pass


def equal_bill(home: Path, env: dict[str, str], batch: str, bill: list[dict[str, object]]) -> str:
    """Call by call: what is confirmed costs what is billed; whatever else is billed is unconfirmed here."""
    calls = rows(
        home,
        env,
        "select c.run_id || '/' || c.step || '/' || c.try || '/' || c.attempt as id, c.status,"
        " trim_scale(c.cost_usd)::text as cost, c.reserved_usd::float8 as reserved"
        f" from model_calls c join runs r on r.run_id = c.run_id where r.batch_id = '{batch}'",
    )
    billed = {entry["callId"]: entry for entry in bill}
    counts: dict[str, int] = {}
    for call in calls:
        counts[str(call["status"])] = counts.get(str(call["status"]), 0) + 1
        entry = billed.get(call["id"])
        if call["status"] == "confirmed":
            assert entry is not None and entry["costUsd"] == call["cost"], (call, entry)
        elif entry is not None:
            assert call["status"] == "unconfirmed", (call, entry)
            assert float(str(entry["costUsd"])) <= float(str(call["reserved"])), (call, entry)
    known = {call["id"] for call in calls}
    assert not [entry for entry in bill if entry["callId"] not in known], "billed without a row"
    return json.dumps(counts)


def first_call(home: Path, env: dict[str, str], batch: str) -> str:
    """Seconds from a container's start to its program's first call."""
    query = (
        "select extract(epoch from min(c.sent_at) - min(r.started_at))::float8 as seconds"
        f" from runs r join model_calls c on c.run_id = r.run_id where r.batch_id = '{batch}' group by r.run_id"
    )
    found = sorted(float(str(row["seconds"])) for row in rows(home, env, query))
    return "first call after " + ", ".join(f"{one:.0f} s" for one in found)


def limit_end(home: Path, env: dict[str, str], agent: str, model: str) -> str:
    """How the client takes the answer that says that its limit is reached."""
    options = ["--models", model, "--tasks", "battleOfSexes", "--agent", agent, "--attempts", "1"]
    options += ["--max-steps", "2", "--backend", "docker", "--wait", "--json"]
    batch = json.loads(bench(home, env, "submit", *options))["batchId"]
    found = rows(
        home,
        env,
        "select r.end_reason as end, e.detail from runs r left join events e"
        f" on e.run_id = r.run_id and e.kind = 'program_limit_reached' where r.batch_id = '{batch}'",
    )
    # AIDE's last words are to hand in the best of its scripts.
    assert found[0]["end"] == "max_steps" or agent == "aide", found
    assert found[0]["detail"] is not None, found
    return str(found[0]["detail"])


def replayed(home: Path, env: dict[str, str], run: str) -> str:
    """Its commands again, by our own loop, in a sandbox without the program: the same files, the same end."""
    file = home / "recorded.json"
    file.write_text(bench(home, env, "trajectory", run, "--json"))
    options = ["--models", f"replay:{file}", "--tasks", "battleOfSexes", "--attempts", "1"]
    options += ["--backend", "docker", "--wait", "--json"]
    batch = json.loads(bench(home, env, "submit", *options))
    played = json.loads(bench(home, env, "show", batch["runs"][0]["runId"], "--json"))
    assert played["endReason"] == "submit" and played["finalEvaluation"] == "ok", played
    now = played["evaluationList"][-1]["primary"]
    assert abs(now - OPTIMA["battleOfSexes"]) < 0.1, played["evaluationList"]
    return f"replayed: {now}"


def play(agent: str, model: str, calm: bool) -> None:
    with tempfile.TemporaryDirectory(prefix="bench-programs-") as folder:
        home = Path(folder)
        file = home / "simulator.json"
        simulator = subprocess.Popen(
            [
                "npx",
                "tsx",
                str(ROOT / "test/fakes/provider-simulator/main.ts"),
                KEY,
                str(file),
                *([] if calm else FAULTS),
            ],
            cwd=ROOT,
            start_new_session=True,
        )
        batch = None
        models = home / "configs/models"
        models.mkdir(parents=True)
        (models / "gemini-of-the-trial.yaml").write_text(json.dumps(GEMINI))
        env = {
            "BENCH_HOME": folder,
            "OPENAI_API_KEY": KEY,
            "ANTHROPIC_API_KEY": KEY,
            "GEMINI_API_KEY": KEY,
            "NO_COLOR": "1",
        }
        try:
            while not file.exists():
                time.sleep(0.2)
            places = json.loads(file.read_text())
            env["OPENAI_BASE_URL"] = places["openAiBaseUrl"]
            env["ANTHROPIC_BASE_URL"] = places["anthropicBaseUrl"]
            env["GEMINI_BASE_URL"] = places["geminiBaseUrl"]
            tasks = ",".join(OPTIMA)
            options = ["--models", model, "--tasks", tasks, "--agent", agent, "--attempts", "1"]
            submitted = json.loads(
                bench(home, env, "submit", *options, "--backend", "docker", "--json")
            )
            batch = submitted["batchId"]
            runs = f"from runs where batch_id = '{batch}'"
            for answered in () if calm else (3, 8):
                while True:
                    found = rows(
                        home,
                        env,
                        f"select sum(answered_calls)::int as n, bool_and(status = 'ended') as over {runs}",
                    )
                    if found[0]["over"] or int(str(found[0]["n"] or 0)) >= answered:
                        break
                    time.sleep(1)
                kill_worker(home)
            bench(home, env, "watch", batch)
            time.sleep(2)
            for run in rows(
                home,
                env,
                f"select run_id as id, task_id as task, end_reason as end, final_score as score {runs}",
            ):
                print(agent, run["task"], run["end"], run["score"], flush=True)
                assert run["end"] == "submit", run
                assert abs(float(str(run["score"])) - OPTIMA[str(run["task"])]) < 0.1, run
            print(
                agent,
                equal_bill(home, env, batch, json.loads(file.read_text())["bill"]),
                flush=True,
            )
            print(agent, first_call(home, env, batch), flush=True)
            # AIDE's replies are scripts that it runs itself: no command to play again.
            if agent != "aide":
                (first,) = rows(
                    home, env, f"select run_id as id {runs} and task_id = 'battleOfSexes'"
                )
                print(agent, replayed(home, env, str(first["id"])), flush=True)
            everything = rows(
                home,
                env,
                "select count(*)::int as n from steps where response || coalesce(action, '') || coalesce(observation, '')"
                f" like '%{KEY}%'",
            )
            assert everything[0]["n"] == 0, "the key is in the record"
            grep = subprocess.run(
                ["grep", "-rlF", KEY, str(home / "runs"), str(home / "logs")],
                stdout=subprocess.PIPE,
                text=True,
            )
            assert grep.stdout == "", grep.stdout
            print(agent, limit_end(home, env, agent, model), flush=True)
        finally:
            if batch is not None:
                bench(home, env, "cancel", batch)
                bench(home, env, "watch", batch)
            bench(home, env, "down", "--force")
            os.killpg(simulator.pid, signal.SIGTERM)


def main() -> None:
    calm = "--calm" in sys.argv
    for agent in [name for name in sys.argv[1:] if name != "--calm"] or AGENTS:
        began = time.monotonic()
        play(agent, AGENTS[agent], calm)
        print(f"{agent}: {time.monotonic() - began:.0f} s", flush=True)


if __name__ == "__main__":
    main()
