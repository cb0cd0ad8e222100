import { describe, expect, it } from 'vitest';
import type { Bench } from '../../../operations/bench.js';
import { playState } from '../../../operations/turns/play-state.js';

/** A database that holds one run, whose open turns are these. */
function benchWith(run: object, open: object[] = []): Bench {
  const stores = {
    turns: { open: ({ runId }: { runId: string }) => Promise.resolve(runId === 'r-1' ? open : []) },
    queries: { showRun: () => Promise.resolve(run) },
  };
  return {
    ...stores,
    database: () => Promise.resolve(stores),
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
