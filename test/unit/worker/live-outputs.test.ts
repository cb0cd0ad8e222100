import { describe, expect, it, vi } from 'vitest';
import { liveOutputs } from '../../../worker/live-outputs.js';

const ref = { runId: 'r-1', epoch: 1 };
const made = () => {
  const saved: string[] = [];
  const state = { printed: 'one', watched: true, dropped: 0 };
  const store = {
    saveLiveOutput: vi.fn(({ tail }: { tail: string }) => {
      saved.push(tail);
      return Promise.resolve(state.watched);
    }),
    dropLiveOutput: () => {
      state.dropped++;
      return Promise.resolve();
    },
  };
  const sandbox = { printed: vi.fn(() => Promise.resolve(state.printed)) };
  return { saved, state, store, sandbox, outputs: liveOutputs(store, 'host 1', 1) };
};
const until = (found: () => boolean): Promise<void> => vi.waitFor(() => expect(found()).toBe(true), 30_000);

describe('output of the running command', () => {
  it('is asked for and copied of watched runs alone', async () => {
    const { outputs, sandbox, store } = made();
    const leave = outputs.follow(sandbox, ref, 3, 3);
    outputs.watched(['r-2']);
    await new Promise((resolve) => setTimeout(resolve, 30));
    leave();
    expect([sandbox.printed.mock.calls.length, store.saveLiveOutput.mock.calls.length]).toEqual([0, 0]);
  });

  it('is copied from when somebody looks until nobody does, and dropped at its end', async () => {
    const { outputs, sandbox, saved, state } = made();
    const leave = outputs.follow(sandbox, ref, 3, 3);
    outputs.watched(['r-1']);
    await until(() => saved.includes('one'));
    state.printed = 'one two';
    await until(() => saved.at(-1) === 'one two');
    state.watched = false;
    await until(() => sandbox.printed.mock.calls.length === saved.length);
    const copies = saved.length;
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(saved.length).toBeLessThanOrEqual(copies + 1);
    state.watched = true;
    outputs.watched(['r-1']);
    await until(() => saved.length > copies + 1);
    leave();
    expect(state.dropped).toBeGreaterThan(0);
    const ended = saved.length;
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(saved.length).toBeLessThanOrEqual(ended + 1);
  });

  it('is asked for again after an engine or a database that was away', async () => {
    const { outputs, sandbox, store, saved } = made();
    sandbox.printed.mockRejectedValueOnce(new Error('away'));
    store.saveLiveOutput.mockRejectedValueOnce(new Error('away'));
    outputs.watched(['r-1']);
    const leave = outputs.follow(sandbox, ref, 3, 3);
    await until(() => saved.length > 1);
    leave();
  });
});
