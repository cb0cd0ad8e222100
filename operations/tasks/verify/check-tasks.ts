import { statfsSync } from 'node:fs';
import { unmetNeed } from '../../../domain/task/backend-needs.js';
import { BenchError, type RemedyFields } from '../../../domain/errors.js';
import type { Backend } from '../../../domain/run/run.js';
import { layerOf } from '../../../domain/task/requirements.js';
import type { TaskFolder } from '../../../domain/task/task.js';
import { prepareCommand } from '../../../catalog/index.js';
import type { CheckedTask as CheckedTaskView, Need as NeedView } from '../../../domain/views/tasks.js';

export const NEEDS = ['data', 'gpus', 'images', 'memory', 'disk'] as const satisfies readonly NeedView['name'][];

export interface Need extends NeedView {
  fields?: RemedyFields;
}
export type CheckedTask = Omit<CheckedTaskView, 'needs'> & { needs: Need[] };

/** Resources of this machine or its workers. */
export interface Offer {
  backend: Backend;
  /** GPUs of the host that has most. */
  gpus: number;
  /** Largest memory that a host has for its runs, MB; null: unknown. */
  memoryMb: number | null;
  /** Free on the home's disk, bytes. */
  freeBytes: number;
}

const ok = (name: Need['name'], detail: string): Need => ({ name, status: 'ok', detail, remedy: null });
const none = (name: Need['name'], detail = 'needs none'): Need => ({ name, status: 'none', detail, remedy: null });
const missing = (name: Need['name'], detail: string, remedy: string, fields: RemedyFields = {}): Need => ({
  ...{ name, status: 'missing', detail, remedy, fields },
});

export const freeBytesOf = (dir: string): number => {
  const { bavail, bsize } = statfsSync(dir);
  return bavail * bsize;
};

function dataNeed(task: TaskFolder, sample: boolean, prepared: (task: TaskFolder) => boolean): Need {
  if (task.spec.data === undefined) return none('data');
  const remedy = prepareCommand([task.spec.id]);
  const fields: RemedyFields = sample ? { sample: true } : {};
  try {
    return prepared(task) ? ok('data', sample ? 'sample' : 'real') : missing('data', 'not prepared', remedy, fields);
  } catch (error) {
    if (error instanceof BenchError) return missing('data', 'changed on disk', remedy, { ...fields, force: true });
    throw error;
  }
}

function gpuNeed({ spec }: TaskFolder, { gpus, backend }: Offer): Need {
  if (spec.gpus === 0) return none('gpus');
  const there = backend === 'podman' ? 0 : gpus;
  if (spec.gpus <= there) return ok('gpus', `${spec.gpus} of ${there}`);
  const profile = Object.entries(spec.profiles ?? {}).find(([, one]) => (one.gpus ?? spec.gpus) <= there)?.[0];
  return missing(
    'gpus',
    `${spec.gpus}, there are ${there}`,
    profile === undefined ? 'fewer GPUs per run' : `the profile ${profile}`,
    profile === undefined ? { gpusPerRun: true } : { profile },
  );
}

function imageNeed(task: TaskFolder, { backend }: Offer): Need {
  const unmet = unmetNeed(task.spec, backend);
  if (unmet !== null) return missing('images', unmet, 'a container backend', { backend: 'docker' });
  const layers = (['agent', 'evaluator'] as const).filter((kind) => layerOf(task.spec, kind, task.dir) !== null);
  if (layers.length === 0 || backend === 'local') return none('images', 'the plain ones');
  const { id, profile } = task.spec;
  return {
    name: 'images',
    status: 'build',
    detail: 'its packages are installed at submit, if they are not yet',
    remedy: 'bench images build',
    fields: { backend, tasks: id, ...(profile !== undefined && { profile }) },
  };
}

function memoryNeed({ spec }: TaskFolder, { memoryMb }: Offer): Need {
  const wanted = spec.limits.memoryMb;
  if (memoryMb === null || wanted <= memoryMb) return ok('memory', `${wanted} MB`);
  const profile = Object.entries(spec.profiles ?? {}).find(([, one]) => (one.limits?.memoryMb ?? wanted) <= memoryMb);
  return missing(
    'memory',
    `${wanted} MB, there are ${memoryMb}`,
    profile === undefined ? 'a worker with more memory for its runs' : `the profile ${profile[0]}`,
    profile === undefined ? { memoryMb: true } : { profile: profile[0] },
  );
}

/** Unfetched sources count three times: downloaded, prepared, and in a workspace. */
function diskNeed({ spec }: TaskFolder, { freeBytes }: Offer, missingBytes: number): Need {
  const wanted = 3 * missingBytes;
  if (wanted <= freeBytes)
    return ok('disk', missingBytes === 0 ? 'nothing to fetch' : `${missingBytes} bytes to fetch`);
  return missing(
    'disk',
    `${wanted} bytes, ${freeBytes} are free`,
    `make room, or make sample data: bench tasks prepare ${spec.id}`,
    { sample: true },
  );
}

/** What a task lacks to be played now, with remedies. */
export function checkTask(
  task: TaskFolder,
  offer: Offer,
  data: { sample: boolean; prepared: (task: TaskFolder) => boolean; missingBytes: number },
): CheckedTask {
  const needs = [
    dataNeed(task, data.sample, data.prepared),
    gpuNeed(task, offer),
    imageNeed(task, offer),
    memoryNeed(task, offer),
    diskNeed(task, offer, data.missingBytes),
  ];
  return {
    task: task.spec.id,
    profile: task.spec.profile ?? null,
    ready: needs.every(({ status }) => status !== 'missing'),
    needs,
  };
}
