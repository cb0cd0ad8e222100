import { Context } from '@temporalio/activity';
import type { RunStore } from '../domain/ports/run-store.js';

/** What the activities of a run are given. */
interface OfRun {
  runId: string;
  step?: number;
  epoch?: number;
}

const isOfRun = (args: unknown): args is OfRun => typeof (args as Partial<OfRun> | undefined)?.runId === 'string';

/**
 * Wrap each activity so that one which is tried again leaves an event in its run's log: its worker died, or what it needs failed.
 * One row for each activity, however often it is tried. What cannot be written now is written at the next try.
 */
export function withRetryEvents<A extends object>(store: Pick<RunStore, 'addEvent'>, activities: A): A {
  const wrap =
    (name: string, fn: (...args: unknown[]) => Promise<unknown>) =>
    async (...args: unknown[]): Promise<unknown> => {
      const { attempt } = Context.current().info;
      const [first] = args;
      // A run that waits for a host asks again and again: its status says so.
      if (attempt > 1 && name !== 'placeRun' && isOfRun(first))
        await report(store, name, first, attempt).catch(() => undefined);
      return await fn(...args);
    };
  return Object.fromEntries(
    Object.entries(activities).map(([name, fn]) => [name, wrap(name, fn as (...args: unknown[]) => Promise<unknown>)]),
  ) as A;
}

async function report(
  store: Pick<RunStore, 'addEvent'>,
  name: string,
  { runId, step, epoch }: OfRun,
  attempt: number,
): Promise<void> {
  // A run's activity is named by what it is given; Temporal's own ids begin anew with each history.
  const key = ['retry', name, step ?? '', epoch ?? ''].join('-');
  const at = step === undefined ? '' : ` of step ${step}`;
  const detail = `${name}${at} was begun ${attempt === 2 ? 'a second time' : `${attempt} times`}: its worker, or what it needs, failed`;
  await store.addEvent({ runId, batchId: null, kind: 'activity_retried', key, detail });
}
