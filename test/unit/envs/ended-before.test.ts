import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { InfrastructureError } from '../../../domain/errors.js';
import type { ProgressEvents } from '../../../domain/ports/progress-events.js';
import type { RolloutRow, Rollouts } from '../../../domain/ports/rollouts.js';
import { endedBefore } from '../../../envs/rollouts/ended-before.js';

const progress: ProgressEvents = {
  next: () => ({ within: (ms) => sleep(Math.min(ms, 10)), cancel: () => undefined }),
  close: () => Promise.resolve(),
};
/** `there`: its database is up; `ended`: the database has an ended rollout. */
const benchOf = (there: () => boolean, ended: () => boolean): { rollouts: Pick<Rollouts, 'find'> } => {
  const find = async () => {
    if (!there()) throw new InfrastructureError('the database is away');
    return { runId: 'r', ended: ended() } as RolloutRow;
  };
  return { rollouts: { find } };
};

it('returns the rollout once it has ended, whatever was away meanwhile', async () => {
  let looks = 0;
  const bench = benchOf(
    () => (looks += 1) % 2 === 0,
    () => looks > 3,
  );
  expect(await endedBefore(bench, progress, 'r', { until: Date.now() + 60_000 })).toMatchObject({ ended: true });
});

it('an outage does not prolong the wait', async () => {
  const until = Date.now() + 500;
  let met = false;
  // Away in the middle of the wait.
  const there = (): boolean => met || until - Date.now() > 250 || !(met = true);
  expect(
    await endedBefore(
      benchOf(there, () => false),
      progress,
      'r',
      { until },
    ),
  ).toBeNull();
  expect(met).toBe(true);
});

it('is over at its time though nobody can tell how the rollout is', async () => {
  const until = Date.now() + 300;
  expect(
    await endedBefore(
      benchOf(
        () => false,
        () => false,
      ),
      progress,
      'r',
      { until },
    ),
  ).toBeNull();
});
