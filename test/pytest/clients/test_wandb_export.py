"""bench_rl.wandb_export, with a wandb that keeps what it is told."""

from __future__ import annotations

import importlib.util
import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

MODULE = Path(__file__).parents[3] / "clients/python/bench_rl/wandb_export.py"


def load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("wandb_export", MODULE)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


exporter = load()

LINES = [
    {"policy_version": 2, "reward": 0.5, "gain": None, "truncations": {"max_steps": 3}},
    {"policy_version": None, "reward": 9.0, "truncations": {}},
    {"policy_version": 1, "reward": 0.25, "tools/failure_frequency": 0.125, "truncations": {}},
]


class FakeRun:
    def __init__(self) -> None:
        self.metrics: list[tuple[str, str | None]] = []
        self.logged: list[dict[str, Any]] = []
        self.finished = False

    def define_metric(self, name: str, step_metric: str | None = None) -> None:
        self.metrics.append((name, step_metric))

    def log(self, values: dict[str, Any]) -> None:
        self.logged.append(values)

    def finish(self) -> None:
        self.finished = True


@pytest.fixture
def wandb(monkeypatch: pytest.MonkeyPatch) -> tuple[FakeRun, dict[str, Any]]:
    run = FakeRun()
    asked: dict[str, Any] = {}
    module = ModuleType("wandb")

    def init(**options: Any) -> FakeRun:
        asked.update(options)
        return run

    module.init = init  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "wandb", module)
    return run, asked


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "metrics.jsonl"
    path.write_text("".join(f"{json.dumps(line)}\n" for line in LINES))
    return path


def test_logs_each_version_in_order_on_an_axis_of_its_own(
    wandb: tuple[FakeRun, dict[str, Any]], file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run, asked = wandb
    assert exporter.main([str(file), "--project", "mine", "--id", "abc"]) == 0
    assert asked == {"project": "mine", "name": None, "id": "abc", "resume": "allow"}
    assert run.metrics == [("bench/policy_version", None), ("bench/*", "bench/policy_version")]
    assert run.logged == [
        {
            "bench/policy_version": 1,
            "bench/reward": 0.25,
            "bench/tools/failure_frequency": 0.125,
        },
        {
            "bench/policy_version": 2,
            "bench/reward": 0.5,
            "bench/truncations/max_steps": 3,
        },
    ]
    assert run.finished
    assert "2 policy versions" in capsys.readouterr().out


def test_asks_a_server_with_its_token() -> None:
    heard: list[tuple[str, str | None]] = []

    class Server(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            heard.append((self.path, self.headers.get("Authorization")))
            allowed = self.headers.get("Authorization") == "Bearer secret"
            self.send_response(200 if allowed else 401)
            self.end_headers()
            self.wfile.write(json.dumps(LINES[0]).encode() if allowed else b"no")

        def log_message(self, *_: Any) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Server)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        url = f"http://127.0.0.1:{server.server_port}"
        assert list(exporter.read_metrics(url + "/", "secret")) == [LINES[0]]
        with pytest.raises(ValueError, match="answers 401: no"):
            list(exporter.read_metrics(url))
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
    assert heard == [("/v1/metrics", "Bearer secret"), ("/v1/metrics", None)]


@pytest.mark.parametrize("text", ["{", "[]", '{"reward": 1}'])
def test_names_a_line_that_is_none(
    text: str,
    wandb: tuple[FakeRun, dict[str, Any]],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text(f"\n{text}\n")
    assert exporter.main([str(path), "--project", "mine"]) == 1
    assert "line 2" in capsys.readouterr().err
    assert wandb[0].logged == []


def test_says_that_wandb_is_missing(
    monkeypatch: pytest.MonkeyPatch, file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "wandb", None)
    assert exporter.main([str(file), "--project", "mine"]) == 2
    assert "pip install wandb" in capsys.readouterr().err
