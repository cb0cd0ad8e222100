import type { Context } from '@temporalio/activity';
import { describe, expect, it } from 'vitest';
import { departing } from '../../../activities/interceptors/departing.js';
import { HostLeft } from '../../../domain/errors.js';
import { type Departure, STAYS } from '../../../domain/ports/departure.js';

/** A host that leaves when `departure.begun` is set. */
function host(over: Partial<Departure> = {}) {
  const kept: number[] = [];
  const settled: (number | null)[] = [];
  const departure = {
    ...STAYS,
    ...over,
    leave: (_: string, epoch: number | null) => void settled.push(epoch),
    keep: async ({ step }: { step: number }) => void kept.push(step),
  };
  const stop = new AbortController();
  const execute = (activityType: string, work: () => Promise<unknown> = async () => 'done', attempt = 1) =>
    departing(departure)({
      info: { activityType, attempt },
      cancellationSignal: stop.signal,
    } as Context).inbound?.execute?.({ args: [{ runId: 'r', step: 5, epoch: 2 }], headers: {} }, work);
  return { departure, kept, settled, stop, execute };
}

describe('on a host that leaves', () => {
  it('nothing of a run begins, and nothing is kept while a command may be running', async () => {
    const { kept, execute } = host({ begun: true });
    for (const name of ['startContainer', 'runProgram', 'takeSubmission', 'evaluate', 'evaluateHidden'])
      await expect(execute(name)).rejects.toThrow(HostLeft);
    expect(kept).toEqual([]);
    await expect(execute('executeCommand')).rejects.toThrow(HostLeft);
    expect(kept).toEqual([]);
    for (const name of ['stopContainer', 'snapshot']) expect(await execute(name)).toBe('done');
  });

  it('a command may end, and what it did is kept; one that is cut off is not tried again', async () => {
    const { departure, kept, stop, execute } = host();
    expect(
      await execute('executeCommand', async () => {
        departure.begun = true;
        return 'done';
      }),
    ).toBe('done');
    expect(kept).toEqual([5]);
    departure.begun = false;
    await expect(
      execute('executeCommand', async () => {
        departure.begun = true;
        stop.abort(new Error('WORKER_SHUTDOWN'));
        throw stop.signal.reason;
      }),
    ).rejects.toThrow(HostLeft);
    expect(kept).toEqual([5]);
  });
});

it('on a host that stays what fails fails as it did, and a run is settled once its container or command is', async () => {
  const { kept, settled, execute } = host();
  await expect(execute('evaluate', () => Promise.reject(new Error('no engine')))).rejects.toThrow('no engine');
  for (const name of ['startContainer', 'executeCommand', 'evaluate']) await execute(name);
  expect(settled).toEqual([null, 2, 2, null]);
  expect(kept).toEqual([]);
});
