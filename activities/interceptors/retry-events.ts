import type { Context } from '@temporalio/activity';
import type { ActivityInterceptors } from '@temporalio/worker';
import type { EventLog } from '../../domain/ports/record/events.js';

/** Arguments of a run's activities. */
interface OfRun {
  runId: string;
  step?: number;
  epoch?: number;
}

/** Activities as people know them; others go by their name. */
const IN_WORDS: Partial<Record<string, string>> = {
  nextAction: 'model call',
  executeCommand: 'command',
  evaluate: 'evaluation',
  evaluateHidden: 'hidden test',
  startContainer: 'container start',
  takeSubmission: 'copying of the submission',
};

const isOfRun = (args: unknown): args is OfRun => typeof (args as Partial<OfRun> | undefined)?.runId === 'string';

/**
 * Records an event for each retried activity of a run: its worker died, or something that it needs failed. One row per activity,
 * however often it is retried. If the event cannot be written now, the next try writes it.
 */
export const retryEvents =
  (store: EventLog) =>
  ({ info: { activityType, attempt } }: Context): ActivityInterceptors => ({
    inbound: {
      async execute(input, next) {
        const [first] = input.args;
        // A run that waits for a host retries until it gets one; its status says so.
        if (attempt > 1 && activityType !== 'placeRun' && isOfRun(first))
          await report(store, activityType, first, attempt).catch(() => undefined);
        return await next(input);
      },
    },
  });

async function report(store: EventLog, name: string, { runId, step, epoch }: OfRun, attempt: number): Promise<void> {
  // Keyed by the arguments: Temporal's activity ids start over with each history.
  const key = ['retry', name, step ?? '', epoch ?? ''].join('-');
  const at = step === undefined ? '' : `step ${step}: `;
  const detail = `${at}${IN_WORDS[name] ?? name} retried (attempt ${attempt}): its worker, or a service that it needs, failed`;
  await store.addEvent({ runId, batchId: null, kind: 'activity_retried', key, detail });
}
