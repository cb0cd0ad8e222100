import { CancelledFailure } from '@temporalio/activity';
import { describe, expect, it } from 'vitest';
import { DeadlineReached, TurnsUnderWay } from '../../../activities/turns-under-way.js';
import type { NextActionResult } from '../../../domain/model/messages.js';
import type { Fence } from '../../../domain/ports/record/steps.js';

const AT = { runId: 'r-test', step: 3 };
const ACTION: NextActionResult = { kind: 'action', endReason: null, ms: 1 };

/** Turns that end when told to. */
function turns() {
  const under = new TurnsUnderWay();
  const begun: { fence: Fence; signal: AbortSignal; answer: () => void; fail: (error: Error) => void }[] = [];
  const take = (token: string, signal = new AbortController().signal, at = AT) =>
    under.take(at, token, signal, (fence, turnSignal) => {
      let answer = (): void => undefined;
      let fail = (_: Error): void => undefined;
      const result = new Promise<NextActionResult>((resolve, reject) => {
        answer = () => resolve(ACTION);
        fail = reject;
      });
      turnSignal.addEventListener('abort', () => fail(turnSignal.reason as Error));
      begun.push({ fence, signal: turnSignal, answer, fail });
      return result;
    });
  return { begun, take };
}

/** An activity that is given up for this reason while it waits for its turn. */
async function givenUp(reason: Error) {
  const { begun, take } = turns();
  const stop = new AbortController();
  const taken = take('f/1', stop.signal);
  stop.abort(reason);
  await expect(taken).rejects.toBe(reason);
  return { begun, take };
}

describe('a turn that is under way', () => {
  it('is adopted by the next activity, whose fence it gets', async () => {
    const { begun, take } = await givenUp(new Error('the slice is over'));
    const adopted = take('f/2');
    expect(begun).toHaveLength(1);
    expect(begun[0]?.fence.token).toBe('f/2');
    begun[0]?.answer();
    expect(await adopted).toEqual(ACTION);
  });

  it('answers all that wait for it, and is begun again once it is over', async () => {
    const { begun, take } = turns();
    const both = [take('f/1'), take('f/2')];
    begun[0]?.answer();
    expect(await Promise.all(both)).toEqual([ACTION, ACTION]);
    const again = take('f/3');
    expect(begun).toHaveLength(2);
    begun[1]?.answer();
    await again;
  });

  it('is one of its run and step alone', async () => {
    const { begun, take } = turns();
    const all = [
      take('f/1'),
      take('f/1', undefined, { ...AT, step: 4 }),
      take('f/1', undefined, { ...AT, runId: 'r-2' }),
    ];
    expect(begun).toHaveLength(3);
    for (const { answer } of begun) answer();
    await Promise.all(all);
  });

  it('that failed while no activity waited for it is begun again', async () => {
    const { begun, take } = await givenUp(new Error('the slice is over'));
    begun[0]?.fail(new Error('the provider is away'));
    await new Promise(setImmediate);
    const again = take('f/2');
    expect(begun).toHaveLength(2);
    begun[1]?.answer();
    expect(await again).toEqual(ACTION);
  });

  it.each([
    new CancelledFailure('CANCELLED'),
    new CancelledFailure('WORKER_SHUTDOWN'),
    new DeadlineReached('the run ends now'),
  ])('ends with its run, its worker and its deadline: $name $message', async (reason) => {
    const { begun } = await givenUp(reason);
    expect(begun[0]?.signal.reason).toBe(reason);
  });

  it.each([new CancelledFailure('TIMED_OUT'), new CancelledFailure('NOT_FOUND'), new Error('the slice is over')])(
    'outlives an activity that is given up otherwise: $message',
    async (reason) => {
      const { begun, take } = await givenUp(reason);
      expect(begun[0]?.signal.aborted).toBe(false);
      const adopted = take('f/2');
      begun[0]?.answer();
      await adopted;
    },
  );

  it('is not begun by an activity that is over', async () => {
    const { begun, take } = turns();
    await expect(take('f/1', AbortSignal.abort(new Error('over')))).rejects.toThrow('over');
    expect(begun).toEqual([]);
  });
});
