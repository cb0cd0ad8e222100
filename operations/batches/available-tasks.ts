import { basename, dirname } from 'node:path';
import type { ValidatedFile } from '../../domain/views/catalog.js';
import type { SkippedTask as SkippedTaskView } from '../../domain/views/submissions.js';
import { unmetNeed } from '../../domain/task/backend-needs.js';
import { BenchError, type RemedyFields } from '../../domain/errors.js';
import type { Backend } from '../../domain/run/run.js';
import type { TaskFolder } from '../../domain/task/task.js';
import { attachData, prepareCommand } from '../../catalog/index.js';
import { formatBytes } from '../../domain/text/format.js';
import type { Notice } from '../notices.js';
import type { BenchSettings } from '../settings.js';

interface NoticePort {
  notify: (notice: Notice) => void;
}

export interface SkippedTask extends SkippedTaskView {
  fields: RemedyFields;
}

export const brokenTask = ({ file, problems }: ValidatedFile): SkippedTask => ({
  task: basename(dirname(file)),
  reason: problems
    .map(
      ({ line, key, message }) =>
        `${file}${line === null ? '' : `:${line}`}: ${key === '' ? '' : `${key}: `}${message}`,
    )
    .join('; '),
  remedy: 'Correct it; `bench validate-config` checks it.',
  fields: {},
});

/** Refuses tasks that cannot be played now, or skips them with a notice. Throws BenchError. */
function leaveOut(
  { notify }: NoticePort,
  { skip, left }: { skip: boolean; left: number },
  skipped: readonly SkippedTask[],
): void {
  if (skipped.length === 0) return;
  const reasons = skipped.map(({ task, reason }) => `${task}: ${reason}`).join('\n');
  const remedy = [...new Set(skipped.map((one) => one.remedy))].join('; ');
  const fields = Object.fromEntries(skipped.flatMap((one) => Object.entries(one.fields)));
  const code = 'task.unavailable';
  if (!skip)
    throw new BenchError('usage', reasons, {
      code,
      remedy: `${remedy}. Or skip such tasks.`,
      fields: { ...fields, skipUnavailable: true },
    });
  if (left === 0) throw new BenchError('usage', `no task is left: ${reasons}`, { code, remedy, fields });
  for (const one of skipped) notify({ code: 'task.left_out', ...one });
}

/** A line for each of more tasks would bury the remedy. */
const TOLD_ONE_BY_ONE = 3;

/** Three lines on many unprepared tasks, as for `all`. `named`: the names in the request. */
function needsData(
  missing: readonly TaskFolder[],
  { ready, sample, named }: { ready: number; sample: boolean; named: readonly string[] },
): BenchError {
  const ids = missing.map(({ spec }) => spec.id);
  const sources = new Map(
    missing.flatMap(({ spec }) => spec.data?.sources ?? []).map((one) => [one.sha256, one.bytes]),
  );
  const bytes = [...sources.values()].reduce((sum, one) => sum + one, 0);
  const greedy = missing.filter(({ spec }) => spec.gpus > 0).length;
  const total = missing.length + ready;
  const real = `\`${prepareCommand(named)}\` downloads ${formatBytes(bytes)}${greedy === 0 ? '' : `; ${greedy} of these tasks ask for GPUs`}`;
  return new BenchError(
    'usage',
    `${ids.length} of ${total} tasks have no ${sample ? 'sample ' : ''}data here: ${ids.slice(0, TOLD_ONE_BY_ONE).join(', ')} and ${ids.length - TOLD_ONE_BY_ONE} more`,
    {
      code: 'task.unavailable',
      remedy: [
        sample
          ? `Make the sample data: \`${prepareCommand(named)}\`, in minutes and without a download.`
          : `For small stand-ins, without a download or GPUs, prepare and submit these tasks on sample data. The real data: ${real}.`,
        ready === 0 ? '`bench tasks` lists the tasks.' : `Or skip these and play the remaining ${ready}.`,
      ].join('\n'),
      fields: { sample: true, ...(ready > 0 && { skipUnavailable: true }) },
    },
  );
}

export function tasksWithData(
  ports: NoticePort & { settings: Pick<BenchSettings, 'layout'> },
  tasks: readonly TaskFolder[],
  { sample, skip, named }: { sample: boolean; skip: boolean; named: readonly string[] },
): { taskFolders: TaskFolder[]; skipped: SkippedTask[] } {
  const { ready, missing } = attachData(ports.settings.layout, tasks, sample);
  if (missing.length > TOLD_ONE_BY_ONE && (!skip || ready.length === 0))
    throw needsData(missing, { ready: ready.length, sample, named });
  const command = prepareCommand(missing.map(({ spec }) => spec.id));
  const skipped = missing.map(({ spec }) => ({
    task: spec.id,
    reason: `its ${sample ? 'sample ' : ''}data are not prepared`,
    remedy: `Prepare ${sample ? 'the sample data' : 'them'}: ${command}`,
    fields: sample ? ({ sample: true } as const) : {},
  }));
  leaveOut(ports, { skip, left: ready.length }, skipped);
  return { taskFolders: ready, skipped };
}

/** The tasks for which some host with the backend has enough GPUs. */
export function tasksWithGpus(
  ports: NoticePort,
  tasks: readonly TaskFolder[],
  { backend, most, skip }: { backend: Backend; most: number; skip: boolean },
): { taskFolders: TaskFolder[]; skipped: SkippedTask[] } {
  const skipped = tasks.flatMap(({ spec }): SkippedTask[] => {
    if (spec.gpus <= most) return [];
    const profile = Object.entries(spec.profiles ?? {}).find(([, one]) => (one.gpus ?? spec.gpus) <= most)?.[0];
    const mended: Pick<SkippedTask, 'remedy' | 'fields'> =
      profile === undefined
        ? { remedy: 'Ask for fewer GPUs per run', fields: { gpusPerRun: true } }
        : { remedy: `Use the profile ${profile}`, fields: { profile } };
    const reason = `a run asks for ${spec.gpus} GPUs, but no host that offers ${backend} has more than ${most}`;
    return [{ task: spec.id, reason, ...mended }];
  });
  const taskFolders = tasks.filter(({ spec }) => !skipped.some(({ task }) => task === spec.id));
  leaveOut(ports, { skip, left: taskFolders.length }, skipped);
  return { taskFolders, skipped };
}

export function tasksOnBackend(
  ports: NoticePort,
  tasks: readonly TaskFolder[],
  { backend, skip }: { backend: Backend; skip: boolean },
): { taskFolders: TaskFolder[]; skipped: SkippedTask[] } {
  const skipped = tasks.flatMap(({ spec }): SkippedTask[] => {
    const reason = unmetNeed(spec, backend);
    const remedy = 'Use the backend docker or podman (`bench doctor` shows what is missing), or skip these tasks';
    return reason === null ? [] : [{ task: spec.id, reason, remedy, fields: { backend: true } }];
  });
  const taskFolders = tasks.filter(({ spec }) => !skipped.some(({ task }) => task === spec.id));
  leaveOut(ports, { skip, left: taskFolders.length }, skipped);
  return { taskFolders, skipped };
}
