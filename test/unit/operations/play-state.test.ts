import { describe, expect, it } from 'vitest';
import type { Bench } from '../../../operations/bench.js';
import { playState } from '../../../operations/turns/play-state.js';
import { returnToRun } from '../../../operations/turns/return-to-run.js';

/** A database that holds one run, whose open turns are these. */
function benchWith(run: object, open: object[] = []): Bench {
  const stores = {
    turns: { open: ({ runId }: { runId: string }) => Promise.resolve(runId === 'r-1' ? open : []) },
    queries: { showRun: () => Promise.resolve(run), findRun: () => Promise.resolve(run) },
  };
  return {
    ...stores,
    database: () => Promise.resolve(stores),
    temporal: () => Promise.reject(new Error('no workflow is started')),
  } as unknown as Bench;
}

describe('what the player of a run sees', () => {
  const run = { runId: 'r-1', status: 'running' };

  it('is the turn that waits', async () => {
    const turn = { runId: 'r-1', step: 3, try: 0 };
    expect(await playState(benchWith(run, [turn]), 'r-1')).toEqual({ turn });
  });

  it('is the run while no turn waits', async () => {
    expect(await playState(benchWith(run), 'r-1')).toEqual({ run });
  });
});

describe('going on with a run', () => {
  it('is for people alone', async () => {
    const run = { runId: 'r-1', modelKind: 'real', model: 'gpt', status: 'running' };
    await expect(returnToRun(benchWith(run), 'r-1')).rejects.toThrow('run r-1 is played by gpt, not a person');
  });

  it('starts nothing for a run that has ended', async () => {
    const run = { runId: 'r-1', modelKind: 'human', model: 'human', status: 'ended' };
    expect(await returnToRun(benchWith(run), 'r')).toBe('r-1');
  });

  it('starts the batch of one that has not', async () => {
    const run = { runId: 'r-1', batchId: 'b-1', modelKind: 'human', model: 'human', status: 'running' };
    await expect(returnToRun(benchWith(run), 'r')).rejects.toThrow('no workflow is started');
  });
});
