import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { cutOffQueue } from '../domain/run/queues.js';

const PAUSE_MS = 500;
/** The server refuses polls that wait for less than two seconds. */
const POLL_MS = 3_000;
/** The server remembers pollers for longer. */
const RECENT_MS = 60_000;

/** Retries until then, since the server may be restarting. */
export async function temporalAnswers(client: Client, forMs: number): Promise<boolean> {
  const until = Date.now() + forMs;
  for (;;) {
    try {
      await client.withDeadline(until, () => client.workflowService.getSystemInfo({}));
      return true;
    } catch {
      if (Date.now() + PAUSE_MS > until) return false;
      await sleep(PAUSE_MS);
    }
  }
}

/** A host without PostgreSQL shows its presence in Temporal by polling an empty queue. */
export async function showCutOff(client: Client, hostId: string): Promise<void> {
  const { namespace } = client.options;
  const poll = { namespace, taskQueue: { name: cutOffQueue(hostId) }, identity: hostId };
  await client.withDeadline(Date.now() + POLL_MS, () => client.workflowService.pollActivityTaskQueue(poll));
}

export async function isShownCutOff(client: Client, hostId: string): Promise<boolean> {
  const { namespace } = client.options;
  const { pollers } = await client.withDeadline(Date.now() + POLL_MS, () =>
    client.workflowService.describeTaskQueue({
      ...{ namespace, taskQueue: { name: cutOffQueue(hostId) } },
      taskQueueType: ACTIVITY_QUEUE,
    }),
  );
  return (pollers ?? []).some(
    ({ lastAccessTime }) => Date.now() - Number(lastAccessTime?.seconds ?? 0) * 1000 < RECENT_MS,
  );
}

/** TASK_QUEUE_TYPE_ACTIVITY */
const ACTIVITY_QUEUE = 2;
