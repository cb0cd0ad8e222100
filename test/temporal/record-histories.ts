import { mkdirSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Client } from '@temporalio/client';
import { execa } from 'execa';
import { findTemporalForTests } from '../setup/find-temporal.js';

const folder = fileURLToPath(new URL('./histories/', import.meta.url));
const repository = fileURLToPath(new URL('../../', import.meta.url));

/** Save the histories of these workflows as `<name>-<n>.<type>.json`, without names of the machine that made them. */
export async function recordHistories(
  client: Client,
  address: string,
  name: string,
  workflowIds: string[],
): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const temporal = await findTemporalForTests();
  const file = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 60);
  for (const [i, workflowId] of workflowIds.entries()) {
    const { type } = await client.workflow.getHandle(workflowId).describe();
    const { stdout } = await execa(temporal, [
      'workflow',
      'show',
      '-w',
      workflowId,
      '--output',
      'json',
      '--address',
      address,
    ]);
    const clean = stdout
      .replaceAll(hostname(), 'host')
      .replaceAll(repository, '')
      .replaceAll(/"identity": "[^"]*"/g, '"identity": "worker"');
    writeFileSync(`${folder}${file}-${i}.${type}.json`, `${JSON.stringify(JSON.parse(clean))}\n`);
  }
}
