import type { Context } from '@temporalio/activity';
import type { ActivityInterceptors } from '@temporalio/worker';
import { BenchError, InfrastructureError } from '../../domain/errors.js';
import type { EventLog } from '../../domain/ports/record/events.js';

interface OfRun {
  runId: string;
  step?: number;
  epoch?: number;
}

const IN_WORDS: Partial<Record<string, string>> = {
  playSteps: 'slice of steps',
  nextAction: 'model call',
  executeCommand: 'command',
  evaluate: 'evaluation',
  evaluateHidden: 'hidden test',
  startContainer: 'container start',
  takeSubmission: 'copying of the submission',
};

const isOfRun = (args: unknown): args is OfRun => typeof (args as Partial<OfRun> | undefined)?.runId === 'string';

const UNKNOWN = 'its worker, or a service that it needs, failed';
/** Activities whose failures are remembered until their next attempt. */
const REMEMBERED = 1_000;

/**
 * An event for each retried activity of a run: its worker died, or something failed, quoted if it
 * was this worker's. One row per activity; a failed write is retried with the next attempt.
 */
export function retryEvents(store: EventLog): (context: Pick<Context, 'info'>) => ActivityInterceptors {
  const failed = new Map<string, string>();
  const remember = (key: string, reason: string): void => {
    const [oldest] = failed.keys();
    if (failed.size >= REMEMBERED && oldest !== undefined) failed.delete(oldest);
    failed.set(key, reason);
  };
  return ({ info: { activityType, attempt } }) => ({
    inbound: {
      async execute(input, next) {
        const [first] = input.args;
        // A run that waits for a host retries until it gets one; its status says so.
        if (activityType === 'placeRun' || !isOfRun(first)) return await next(input);
        const key = keyOf(activityType, first);
        const remembered = `${first.runId} ${key}`;
        if (attempt > 1)
          await report(store, {
            ...first,
            key,
            name: activityType,
            attempt,
            reason: failed.get(remembered) ?? UNKNOWN,
          }).catch(() => undefined);
        try {
          const result = await next(input);
          failed.delete(remembered);
          return result;
        } catch (error) {
          const reason = ownWords(error);
          if (reason !== null) remember(remembered, reason);
          throw error;
        }
      },
    },
  });
}

/** By the arguments: Temporal's activity ids start over with each history. */
const keyOf = (name: string, { step, epoch }: OfRun): string => ['retry', name, step ?? '', epoch ?? ''].join('-');

/** Null: other errors may contain anything. */
const ownWords = (error: unknown): string | null =>
  error instanceof InfrastructureError || error instanceof BenchError ? error.message.slice(0, 500) : null;

async function report(
  store: EventLog,
  of: OfRun & { key: string; name: string; attempt: number; reason: string },
): Promise<void> {
  const at = of.step === undefined ? '' : `step ${of.step}: `;
  const detail = `${at}${IN_WORDS[of.name] ?? of.name} retried (attempt ${of.attempt}): ${of.reason}`;
  await store.addEvent({ runId: of.runId, batchId: null, kind: 'activity_retried', key: of.key, detail });
}
