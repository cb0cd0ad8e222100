import type { Context } from '@temporalio/activity';
import type { ActivityInterceptors } from '@temporalio/worker';
import type { EventLog } from '../../domain/ports/record/events.js';

/** What the activities of a run are given. */
interface OfRun {
  runId: string;
  step?: number;
  epoch?: number;
}

const isOfRun = (args: unknown): args is OfRun => typeof (args as Partial<OfRun> | undefined)?.runId === 'string';

/**
 * An activity that is tried again leaves an event in its run's log: its worker died, or what it needs failed. One row for each
 * activity, however often it is tried. What cannot be written now is written at the next try.
 */
export const retryEvents =
  (store: EventLog) =>
  ({ info: { activityType, attempt } }: Context): ActivityInterceptors => ({
    inbound: {
      async execute(input, next) {
        const [first] = input.args;
        // A run that waits for a host asks again and again: its status says so.
        if (attempt > 1 && activityType !== 'placeRun' && isOfRun(first))
          await report(store, activityType, first, attempt).catch(() => undefined);
        return await next(input);
      },
    },
  });

async function report(store: EventLog, name: string, { runId, step, epoch }: OfRun, attempt: number): Promise<void> {
  // A run's activity is named by what it is given; Temporal's own ids begin anew with each history.
  const key = ['retry', name, step ?? '', epoch ?? ''].join('-');
  const at = step === undefined ? '' : ` of step ${step}`;
  const detail = `${name}${at} was begun ${attempt === 2 ? 'a second time' : `${attempt} times`}: its worker, or what it needs, failed`;
  await store.addEvent({ runId, batchId: null, kind: 'activity_retried', key, detail });
}
