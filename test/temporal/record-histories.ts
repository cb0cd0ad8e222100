import { mkdirSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Client } from '@temporalio/client';
import { execa } from 'execa';
import { GPU_POOL_WORKFLOW_ID } from '../../domain/run/queues.js';
import { findTemporalForTests } from '../setup/find-temporal.js';
import { HISTORIES } from './histories.js';

const folder = fileURLToPath(new URL('./histories/', import.meta.url));
const repository = fileURLToPath(new URL('../../', import.meta.url));

/** Of the test with this number, by the type of workflow; a test's own run is its `a`. */
const WORKFLOW_IDS: Record<string, (serial: number) => string> = {
  batch: (serial) => `batch/b-${serial}`,
  batchShard: (serial) => `batch/b-${serial}/shard-0`,
  run: (serial) => `run/r-${serial}-a`,
  search: (serial) => `run/r-${serial}-a`,
  gpuPool: () => GPU_POOL_WORKFLOW_ID,
};

/** Saves this test's histories that HISTORIES names, without names of the recording machine. */
export async function recordHistories(client: Client, address: string, test: string, serial: number): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const temporal = await findTemporalForTests();
  for (const [file, history] of Object.entries(HISTORIES)) {
    if (history.test !== test) continue;
    const type = file.split('.')[1] ?? '';
    const workflowId = history.workflowId?.(serial) ?? WORKFLOW_IDS[type]?.(serial) ?? '';
    const runId = history.first === true ? await firstOf(client, workflowId) : undefined;
    const which = ['-w', workflowId, ...(runId === undefined ? [] : ['-r', runId])];
    const { stdout } = await execa(temporal, ['workflow', 'show', ...which, '--output', 'json', '--address', address]);
    const clean = stdout
      .replaceAll(hostname(), 'host')
      .replaceAll(repository, '')
      .replaceAll(/"identity": "[^"]*"/g, '"identity": "worker"');
    writeFileSync(folder + file, `${JSON.stringify(JSON.parse(clean))}\n`);
  }
}

/** The first execution of this id, which continued as new ones or which its parent started. */
async function firstOf(client: Client, workflowId: string): Promise<string | undefined> {
  const { events } = await client.workflow.getHandle(workflowId).fetchHistory();
  const started = events?.[0]?.workflowExecutionStartedEventAttributes;
  const parent = started?.parentWorkflowExecution?.workflowId;
  if (parent === undefined || parent === null) return started?.firstExecutionRunId ?? undefined;
  const ofParent = await client.workflow.getHandle(parent).fetchHistory();
  const children = (ofParent.events ?? []).map((event) => event.childWorkflowExecutionStartedEventAttributes);
  return (
    children.find((child) => child?.workflowExecution?.workflowId === workflowId)?.workflowExecution?.runId ?? undefined
  );
}
