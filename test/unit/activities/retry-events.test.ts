import { expect, it } from 'vitest';
import { retryEvents } from '../../../activities/interceptors/retry-events.js';
import { InfrastructureError } from '../../../domain/errors.js';

function recorded() {
  const details: string[] = [];
  const events = retryEvents({
    addEvent: (event) => {
      details.push(event.detail);
      return Promise.resolve();
    },
  });
  const attempt = (runId: string, number: number, outcome: () => Promise<unknown>) => {
    const context = { info: { activityType: 'executeCommand', attempt: number } } as Parameters<typeof events>[0];
    const execute = events(context).inbound?.execute;
    return execute?.({ args: [{ runId, step: 2 }], headers: {} }, outcome);
  };
  return { details, attempt };
}
const fails = (error: Error) => () => Promise.reject(error);
const works = () => Promise.resolve('done');

it('tells why an activity is retried, in the words of the failure', async () => {
  const { details, attempt } = recorded();
  await expect(attempt('r-1', 1, fails(new InfrastructureError('the bucket is full')))).rejects.toThrow('is full');
  expect(details).toEqual([]);
  expect(await attempt('r-1', 2, works)).toBe('done');
  expect(details).toEqual(['step 2: command retried (attempt 2): the bucket is full']);
});

it('says so generally where another worker failed, or the words are not ours', async () => {
  const { details, attempt } = recorded();
  await attempt('r-1', 2, works);
  await expect(attempt('r-2', 1, fails(new TypeError('key sk-hush')))).rejects.toThrow();
  await attempt('r-2', 2, works);
  const generally = 'step 2: command retried (attempt 2): its worker, or a service that it needs, failed';
  expect(details).toEqual([generally, generally]);
});
