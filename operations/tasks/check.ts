import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { findPrepared, underProfile } from '../../catalog/index.js';
import { checkedRequest } from '../../domain/requests/checked.js';
import { type CheckTasksRequest, checkTasksRequestSchema } from '../../domain/requests/tasks.js';
import type { Backend } from '../../domain/run/run.js';
import type { TaskFolder } from '../../domain/task/task.js';
import { chooseBackend } from '../batches/choose-backend.js';
import type { FleetReads } from '../../domain/ports/reading/fleet.js';
import type { BenchSettings } from '../settings.js';
import { namedTasks, type NamedTasksPorts } from './named-tasks.js';
import { missingBytes } from './prepare/download.js';
import { checkTask, freeBytesOf, type Offer } from './verify/check-tasks.js';
import type { CheckedTask } from './verify/check-tasks.js';

type OfferPorts = Parameters<typeof chooseBackend>[0] & {
  settings: Pick<BenchSettings, 'home'>;
  queries: Pick<FleetReads, 'hosts'>;
};
export type CheckTasksPorts = NamedTasksPorts & OfferPorts & { settings: Pick<BenchSettings, 'layout'> };

/** Whether tasks can be played as things are, before anything is spent. */
export async function checkTasks(ports: CheckTasksPorts, input: CheckTasksRequest): Promise<CheckedTask[]> {
  const request = checkedRequest(checkTasksRequestSchema, input);
  const { layout } = ports.settings;
  const { sample, profile, backend } = request;
  const tasks = namedTasks(ports, request);
  const offer = await offered(ports, backend);
  const rows: CheckedTask[] = [];
  for (const task of underProfile(tasks, { profile: profile ?? null, sample })) {
    let bytes = 0;
    for (const source of sample ? [] : (task.spec.data?.sources ?? [])) bytes += await missingBytes(layout, source);
    const prepared = (one: TaskFolder): boolean => findPrepared(layout, one, sample) !== null;
    rows.push(checkTask(task, offer, { sample, prepared, missingBytes: bytes }));
  }
  return rows;
}

/** Resources of registered workers and this machine's disk. */
async function offered(ports: OfferPorts, wish: Backend | undefined): Promise<Offer> {
  const backend = await chooseBackend(ports, wish ?? null, []);
  const hosts = await ports.queries.hosts();
  const memories = hosts.map(({ memoryForRunsMb }) => memoryForRunsMb ?? null);
  return {
    backend,
    gpus: Math.max(0, ...hosts.map(({ gpus }) => gpus.length)),
    memoryMb:
      memories.length === 0 ? null : memories.reduce((a, b) => (a === null || b === null ? null : Math.max(a, b))),
    freeBytes: freeBytesOf(nearest(ports.settings.home)),
  };
}

/** The folder, or its nearest existing parent. */
const nearest = (dir: string): string => (existsSync(dir) ? dir : nearest(dirname(dir)));
