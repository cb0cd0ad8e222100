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
