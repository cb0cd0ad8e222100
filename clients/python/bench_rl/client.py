"""Episodes over REST."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from .http import BenchError, Connection

__all__ = ["BenchClient", "BenchError", "Episode", "EpisodeFault", "Step"]

# Most seconds that the server holds a request open.
WAIT_S = 50


class EpisodeFault(Exception):
    """The episode failed by no fault of the policy: leave it out of the training."""


@dataclass(frozen=True)
class Step:
    """What an action brought about. `reward` None: it was not evaluated, or the fault is bench's."""

    observation: str
    reward: float | None
    terminated: bool
    truncated: bool
    info: dict[str, Any]

    @property
    def fault(self) -> str | None:
        """Why the episode counts for nothing; None: it does count."""
        fault = self.info.get("fault")
        return None if fault is None else f"{fault['reason']}: {fault['detail']}"

    @property
    def done(self) -> bool:
        return self.terminated or self.truncated or self.fault is not None


def step_of(document: dict[str, Any]) -> Step:
    return Step(
        observation=document["observation"]["message"],
        reward=document["reward"],
        terminated=document["terminated"],
        truncated=document["truncated"],
        info=document["info"],
    )


class Episode:
    """An episode that has begun. Actions are numbered: one that is sent twice is executed once."""

    def __init__(self, connection: Connection, begun: dict[str, Any]) -> None:
        self._connection = connection
        self.id: str = begun["episode_id"]
        self.observation: str = begun["observation"]["message"]
        self.info: dict[str, Any] = begun["info"]
        self.seq: int = self.info["action_seq"]
        # What its last action brought about; None: it has had none.
        self.last: Step | None = None

    @property
    def done(self) -> bool:
        return self.last is not None and self.last.done

    def step(self, action: str | dict[str, Any], policy_version: int | None = None) -> Step:
        """Execute a command, or `{"reply": text}`, and wait for its outcome, however long it takes."""
        body = action_body(action, self.seq + 1, policy_version)
        status, document = self._connection.ask("POST", f"/v1/episodes/{self.id}/step", body)
        # A refused action has no number, and one without an answer keeps its own.
        self.seq += 1
        self.last = self.outcome(document) if status == 202 else step_of(document)
        return self.last

    def outcome(self, running: dict[str, Any]) -> Step:
        """The outcome of an action that still runs."""
        path = f"/v1/episodes/{self.id}/steps/{running['action_seq']}?wait_s={WAIT_S}"
        status = 202
        while status == 202:
            status, running = self._connection.ask("GET", path)
        return step_of(running)

    def ending(self) -> Step | None:
        """How it ended since its last action, as by its deadline, and what that pays. None: it continues, or was abandoned."""
        try:
            _, document = self._connection.ask(
                "GET", f"/v1/episodes/{self.id}/steps/{self.seq + 1}"
            )
        except BenchError as error:
            if error.status == 404:
                return None
            raise
        self.last = step_of(document)
        return self.last

    def interrupt(self) -> None:
        """End the command that runs, from another thread: its step returns."""
        self._connection.ask("POST", f"/v1/episodes/{self.id}/interrupt", {})

    def fork(self, at_step: int, count: int = 1, **keys: Any) -> list[Episode]:
        """Episodes that begin after this step, with its files: all of them, or none. `fork_id` of your own: the same again is the same ones."""
        body = {"fork_id": f"f-{uuid.uuid4().hex}", "at_step": at_step, "count": count, **keys}
        _, document = self._connection.ask("POST", f"/v1/episodes/{self.id}/fork", body)
        return [Episode(self._connection, begun) for begun in document["episodes"]]

    def trajectory(self) -> list[dict[str, Any]]:
        _, document = self._connection.ask("GET", f"/v1/episodes/{self.id}/trajectory")
        steps: list[dict[str, Any]] = document["steps"]
        return steps

    def close(self) -> None:
        """Give it up; one that has ended stays as it is."""
        self._connection.ask("DELETE", f"/v1/episodes/{self.id}")


def action_body(
    action: str | dict[str, Any], seq: int, policy_version: int | None = None
) -> dict[str, Any]:
    version = {} if policy_version is None else {"policy_version": policy_version}
    return {"action": action, "action_seq": seq, "wait_s": WAIT_S, **version}


class BenchClient:
    """A server of episodes. The token is BENCH_ENV_TOKEN's unless given; a server, or services, that restart are waited for."""

    def __init__(
        self, url: str, token: str | None = None, patience_s: float = 600, timeout_s: float = 120
    ) -> None:
        token = token if token is not None else os.environ.get("BENCH_ENV_TOKEN")
        self._connection = Connection(url, token, patience_s, timeout_s)

    def reset(self, **keys: Any) -> Episode:
        """Begin an episode: `task`, `seed`, `reward`, `group`, `max_steps`, `fork_of` with `at_step`, …"""
        begun = {"episode_id": f"e-{uuid.uuid4().hex}", **keys}
        _, document = self._connection.ask("POST", "/v1/episodes", begun)
        return Episode(self._connection, document)

    def steps(
        self,
        actions: Iterable[tuple[Episode, str | dict[str, Any]]],
        policy_version: int | None = None,
    ) -> list[Step]:
        """An action for each of many episodes, in one request; the outcomes in their order.

        BenchError: one of them was refused. What the others brought is the `last` of each episode.
        """
        asked = list(actions)
        if not asked:
            return []
        if len({episode.id for episode, _ in asked}) < len(asked):
            raise ValueError("two actions for one episode: the second one waits for the first")
        body = [
            {"episode_id": episode.id, **action_body(action, episode.seq + 1, policy_version)}
            for episode, action in asked
        ]
        found: dict[str, Step] = {
            line["episode_id"]: step_of(line)
            for line in self._connection.lines("/v1/steps", body)
            if "observation" in line
        }
        refusal: BenchError | None = None
        outcomes: list[Step] = []
        for episode, action in asked:
            if episode.id in found:
                episode.seq += 1
                episode.last = found[episode.id]
                outcomes.append(episode.last)
                continue
            # Still running, refused, or lost with the connection: by itself it says what it is.
            try:
                outcomes.append(episode.step(action, policy_version))
            except BenchError as error:
                refusal = refusal or error
        if refusal is not None:
            raise refusal
        return outcomes
