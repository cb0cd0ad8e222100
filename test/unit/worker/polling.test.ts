import { expect, it, vi } from 'vitest';
import { Polling, type QueueWorker } from '../../../worker/polling.js';
import { postgresWatch } from '../../../worker/postgres-watch.js';

/** A worker that ends when it is shut down, or with the error that it is given then. */
class FakeWorker implements QueueWorker {
  #state: ReturnType<QueueWorker['getState']> = 'INITIALIZED';
  #end: () => void = () => undefined;
  constructor(private readonly failure?: Error) {}
  getState = () => this.#state;
  run(): Promise<void> {
    this.#state = 'RUNNING';
    return new Promise((resolve, reject) => {
      this.#end = () => {
        this.#state = 'STOPPED';
        if (this.failure === undefined) resolve();
        else reject(this.failure);
      };
    });
  }
  shutdown = (): void => this.#end();
}

/** `fails`: what happens to the n-th set of workers. */
function queues(fails: { at: number; ending?: Error; creating?: Error }[] = []) {
  const log = { info: vi.fn(), warn: vi.fn() };
  const made: FakeWorker[][] = [];
  const polling = new Polling(() => {
    const fault = fails.find(({ at }) => at === made.length);
    const workers = [new FakeWorker(), new FakeWorker(fault?.ending)];
    made.push(workers);
    const [first, second] = workers;
    return [
      Promise.resolve(first!),
      fault?.creating === undefined ? Promise.resolve(second!) : Promise.reject(fault.creating),
    ];
  }, log);
  const states = () => made.map((workers) => workers.map((worker) => worker.getState()));
  return { polling, log, states, until: (n: number) => vi.waitFor(() => expect(made).toHaveLength(n), 10_000) };
}

it('suspended, nothing polls; resumed, new workers do; stopped, it is over', async () => {
  const { polling, states, until } = queues();
  await polling.prepare();
  const over = polling.run();
  polling.suspend();
  expect(states()).toEqual([['STOPPED', 'STOPPED']]);
  polling.resume();
  await until(2);
  await vi.waitFor(() => expect(states()[1]).toEqual(['RUNNING', 'RUNNING']));
  polling.stop();
  await over;
  expect(states()[1]).toEqual(['STOPPED', 'STOPPED']);
});

it('a worker that does not end in time is no failure when polling was suspended, even if it was resumed meanwhile', async () => {
  const { polling, states, until } = queues([{ at: 0, ending: new Error('did not end in time') }]);
  await polling.prepare();
  const over = polling.run();
  polling.suspend();
  polling.resume();
  await until(2);
  polling.stop();
  await over;
  expect(states().flat()).not.toContain('RUNNING');
});

it('a worker that fails while it is to poll ends the process', async () => {
  const { polling } = queues([{ at: 0, ending: new Error('the core has failed') }]);
  await polling.prepare();
  const over = polling.run();
  polling.stop();
  await expect(over).rejects.toThrow('the core has failed');
});

it('workers that the server refuses are tried again, and the others of their set are ended first', async () => {
  const { polling, states, until } = queues([{ at: 1, creating: new Error('Temporal is away') }]);
  await polling.prepare();
  const over = polling.run();
  polling.suspend();
  polling.resume();
  await until(3);
  await vi.waitFor(() => expect(states()[2]).toEqual(['RUNNING', 'RUNNING']));
  expect(states()[1]).toEqual(['STOPPED', 'INITIALIZED']);
  polling.stop();
  await over;
});

it('one that is stopped while it is suspended ends', async () => {
  const { polling } = queues();
  await polling.prepare();
  const over = polling.run();
  polling.suspend();
  polling.stop();
  await over;
});

it('polling is suspended when PostgreSQL has been away for the bound, and resumed with its first answer', async () => {
  let away = false;
  let time = 0;
  const polling = {
    suspended: false,
    suspend: vi.fn(() => void (polling.suspended = true)),
    resume: vi.fn(() => void (polling.suspended = false)),
  };
  const unanswered = vi.fn(async () => undefined);
  const look = postgresWatch({
    ...{ polling, unanswered, boundMs: 60_000, log: { info: vi.fn(), warn: vi.fn() }, now: () => time },
    ask: async () => {
      if (away) throw new Error('no answer');
    },
  });
  const looks = async (...times: number[]) => {
    for (const at of times) {
      time = at;
      await look();
    }
  };
  // A process that slept for long has asked nothing meanwhile.
  await looks(0, 1_000_000);
  away = true;
  await looks(1_010_000, 1_069_000);
  expect(polling.suspend).not.toHaveBeenCalled();
  away = false;
  await looks(1_069_500);
  away = true;
  await looks(1_070_000, 1_129_000);
  expect(polling.suspend).not.toHaveBeenCalled();
  await looks(1_130_000, 1_140_000);
  expect(polling.suspend).toHaveBeenCalledOnce();
  expect(unanswered).toHaveBeenCalledTimes(6);
  away = false;
  await looks(1_150_000, 1_160_000);
  expect(polling.resume).toHaveBeenCalledOnce();
});
