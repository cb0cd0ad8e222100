import { expect, test } from 'vitest';
import { BenchError } from '../../../domain/errors.js';
import type { EpisodeRow, TakenBefore } from '../../../domain/ports/episodes.js';
import { takeStep } from '../../../envs/openenv/step.js';
import type { Play, PlayedStep } from '../../../envs/play.js';

const episode = { runId: 'r-1', episodeId: 'r-1', seq: 3, ended: true } as EpisodeRow;
const submitted = { outcome: { reward: 0.5, terminated: true } } as PlayedStep;

/** Its submission took longer than its client waited, and has ended it since. */
function ended(delivered: boolean): Play {
  const play: Partial<Play> = {
    known: () => Promise.resolve(episode),
    taken: () => Promise.resolve({ settled: true, delivered } as TakenBefore),
    act: () => Promise.reject(new BenchError('conflict', 'r-1 has ended', { code: 'episode.ended', remedy: 'Reset.' })),
    lateEnding: () => Promise.resolve(null),
    outcome: () => Promise.resolve(submitted),
  };
  return play as Play;
}
const step = { action: { command: 'submit' }, seq: null, policyVersion: null, tool: null };
const patience = { first: false, softSeconds: 45, trusted: false, numbers: false };

test('whatever a model does after an end that it was not told of yet, it is told of it, with its reward', async () => {
  expect(await takeStep(ended(false), episode, step, patience)).toEqual({ kind: 'done', seq: 3, played: submitted });
});

test('an end that was read is not told again', async () => {
  await expect(takeStep(ended(true), episode, step, patience)).rejects.toThrow('has ended');
});

/** An action that its client has no answer to; what was asked for. */
function unread(settled: boolean) {
  const asked: string[] = [];
  const taken = { action: { command: 'echo x >> n' }, settled, delivered: false } as TakenBefore;
  const play: Partial<Play> = {
    known: () => Promise.resolve(episode),
    taken: () => Promise.resolve(taken),
    act(_episode, { action, seq }) {
      const same = JSON.stringify(action) === JSON.stringify(taken.action);
      if (seq === 3 && !same) return Promise.reject(refused('episode.action_conflict'));
      if (seq !== 3 && !settled) return Promise.reject(refused('episode.busy'));
      asked.push(seq === 3 ? 'the same' : 'the next');
      return Promise.resolve(seq ?? 4);
    },
    outcome(_episode, seq, seconds) {
      if (seconds > 0) asked.push(`waits for ${seq}`);
      const over = { outcome: { seq, reward: null, terminated: false, truncated: false, fault: null } };
      return Promise.resolve(seq === 3 && !settled ? null : (over as unknown as PlayedStep));
    },
  };
  return { play: play as Play, asked };
}
const refused = (code: 'episode.busy' | 'episode.action_conflict'): BenchError =>
  new BenchError('conflict', code, { code, remedy: 'Wait.' });
const request = { ...patience, first: 'request' } as const;

test.each([
  [true, 'done'],
  [false, 'running'],
])('the same step once more over HTTP is the one that was taken (it is over: %s)', async (over, kind) => {
  const { play, asked } = unread(over);
  const again = { ...step, action: { command: 'echo x >> n' } };
  expect(await takeStep(play, episode, again, request)).toMatchObject({ kind, seq: 3 });
  expect(asked).toEqual(['the same', 'waits for 3']);
});

test('another one over HTTP follows it, and is told what was missed', async () => {
  const { play, asked } = unread(true);
  const answer = await takeStep(play, episode, step, request);
  expect(answer).toMatchObject({ kind: 'done', seq: 4, missed: [{ outcome: { seq: 3 } }] });
  expect(asked).toEqual(['the next', 'waits for 4']);
});

test('another one over HTTP does not wait for what its client knows to run', async () => {
  const { play, asked } = unread(false);
  expect(await takeStep(play, episode, step, request)).toMatchObject({ kind: 'running', seq: 3 });
  expect(asked).toEqual([]);
});
