import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { BenchError } from '../../../domain/errors.js';
import { BASELINE_MODEL } from '../../../domain/model/model.js';
import type { RunReads } from '../../../domain/ports/reading/runs.js';
import type { TrajectoryReads } from '../../../domain/ports/reading/trajectories.js';
import { checkedRequest } from '../../../domain/requests/checked.js';
import { type VerifyTasksRequest, verifyTasksRequestSchema } from '../../../domain/requests/tasks.js';
import { isSecret } from '../../../domain/task/secrets.js';
import type { TaskFolder } from '../../../domain/task/task.js';
import { attachData, fileDigest, folderFiles, prepareCommand, underProfile } from '../../../catalog/index.js';
import { findLeaks } from '../prepare/prepare-task.js';
import { follow } from '../../batches/follow.js';
import type { BatchRequestInput } from '../../../domain/requests/batch.js';
import type { SubmittedBatch } from '../../batches/batch-plan.js';
import { submitBatch } from '../../batches/submit-batch.js';
import type { BenchSettings } from '../../settings.js';
import { namedTasks, type NamedTasksPorts } from '../named-tasks.js';
import { judgeHarborTask } from './judge-harbor-task.js';
import { judgeTask, type Played } from './judge-task.js';
import type { TaskCheck, Verification, VerifiedTask } from '../../../domain/views/tasks.js';

interface PlayedPorts {
  queries: Pick<RunReads, 'showRun'> & Pick<TrajectoryReads, 'trajectory'>;
}
type FollowPorts = Parameters<typeof follow>[0];
type SubmitPorts = Parameters<typeof submitBatch>[0] & NamedTasksPorts;
export type VerifyTasksPorts = PlayedPorts &
  FollowPorts &
  SubmitPorts & { settings: Pick<BenchSettings, 'layout' | 'assetsRoot'> };

const MODELS = { baseline: BASELINE_MODEL, oracle: 'scripted:oracle', spoiler: 'scripted:spoiler' } as const;
/** More than any oracle takes to write its files. */
const MAX_STEPS = 200;

const isHarbor = ({ spec }: TaskFolder): boolean => spec.evaluator.kind === 'harbor';
const hasOracle = ({ dir }: TaskFolder): boolean => existsSync(join(dir, 'oracle'));

/** Files of the task's folder and data that no agent may see. */
function secretsOf(task: TaskFolder): Map<string, string> {
  const secrets = new Map<string, string>();
  const evaluator = join(task.dir, 'evaluator');
  for (const { path } of folderFiles(evaluator)) {
    const full = join(evaluator, path);
    if (isSecret(path, statSync(full).size)) secrets.set(fileDigest(full) ?? '', `evaluator/${path}`);
  }
  for (const { path, bytes, sha256 } of task.data?.files ?? []) {
    const hidden = path.startsWith('hidden/') ? path.slice('hidden/'.length) : null;
    if (hidden !== null && isSecret(hidden, bytes)) secrets.set(sha256, hidden);
  }
  return secrets;
}

async function leaksCheck(assetsRoot: string, task: TaskFolder): Promise<TaskCheck> {
  const { dir, data } = task;
  const leaks = await findLeaks(
    [join(dir, 'starter'), ...(data === undefined ? [] : [join(data.dir, 'agent')])],
    [join(dir, 'evaluator'), ...(data === undefined ? [] : [join(data.dir, 'hidden')])],
    { assetsRoot },
  );
  return leaks.length > 0
    ? { name: 'leaks', status: 'failed', detail: leaks.join('; ') }
    : { name: 'leaks', status: 'ok', detail: 'none found' };
}

const dataCheck = (task: TaskFolder): TaskCheck =>
  task.data === undefined
    ? { name: 'data', status: 'none', detail: 'the task needs none' }
    : {
        name: 'data',
        status: 'ok',
        detail: `${task.data.sample ? 'sample' : 'real'}, ${task.data.files.length} files`,
      };

/** Plays the tasks as runs and judges the outcome. Null: `wait` returned false before the end. */
export async function verifyTasks(
  ports: VerifyTasksPorts,
  input: VerifyTasksRequest,
  wait: (batchId: string) => Promise<boolean> = (batchId) => untilOver(ports, batchId),
): Promise<Verification | null> {
  const { settings } = ports;
  const request = checkedRequest(verifyTasksRequestSchema, input);
  const { sample, profile = null, backend = null } = request;
  const chosen = underProfile(namedTasks(ports, request), { profile, sample });
  const { ready, missing } = attachData(settings.layout, chosen, sample);
  const rows = new Map<string, VerifiedTask>();
  const before = new Map<string, TaskCheck[]>();
  for (const { spec } of missing) {
    const detail = `not prepared: ${prepareCommand([spec.id])}${sample ? ', of sample data' : ''}`;
    rows.set(spec.id, { ...nothing(spec.id, spec.profile), checks: [{ name: 'data', status: 'failed', detail }] });
  }
  for (const task of ready) before.set(task.spec.id, [dataCheck(task), await leaksCheck(settings.assetsRoot, task)]);

  let batch: SubmittedBatch | null = null;
  if (ready.length > 0) {
    batch = await submitBatch(
      ports,
      { groups: groupsOf(ready, request), concurrency: request.concurrency, backend },
      { verification: true },
    );
    const { batchId, runs } = batch;
    ports.notify({ code: 'batch.started', batchId, runs: runs.length, backend: batch.backend });
    if (!(await wait(batchId))) return null;
    for (const task of ready) rows.set(task.spec.id, await judged(ports, batch, task, before.get(task.spec.id) ?? []));
  }
  return {
    batchId: batch?.batchId ?? null,
    backend: batch?.backend ?? null,
    tasks: chosen.map(({ spec }) => rows.get(spec.id)).filter((row) => row !== undefined),
  };
}

async function untilOver(ports: FollowPorts, batchId: string): Promise<boolean> {
  for await (const { kind } of follow(ports, batchId)) if (kind === 'over') return true;
  return false;
}

const nothing = (task: string, profile: string | undefined): VerifiedTask => ({
  ...{ task, profile: profile ?? null, ok: false, checks: [] },
  runs: { baseline: null, oracle: null, spoiler: null },
});

/** Tasks without a solution are only played as they are. */
function groupsOf(
  tasks: readonly TaskFolder[],
  request: { agent: string; sample: boolean },
): NonNullable<BatchRequestInput['groups']> {
  const play = {
    agent: request.agent,
    attempts: 1,
    maxSteps: MAX_STEPS,
    snapshotEvery: 0,
    sample: request.sample,
  };
  const groups: NonNullable<BatchRequestInput['groups']> = [];
  for (const [models, chosen] of [
    [Object.values(MODELS), tasks.filter((task) => hasOracle(task) && !isHarbor(task))],
    [[MODELS.baseline, MODELS.oracle], tasks.filter((task) => hasOracle(task) && isHarbor(task))],
    [[MODELS.baseline], tasks.filter((task) => !hasOracle(task))],
  ] as const) {
    // A profile that only some of the tasks have is not refused.
    for (const named of new Set(chosen.map(({ spec }) => spec.profile))) {
      const same = chosen.filter(({ spec }) => spec.profile === named).map(({ spec }) => spec.id);
      groups.push({ ...play, models: [...models], tasks: same, profile: named ?? 'default' });
    }
  }
  return groups;
}

async function judged(
  { queries }: PlayedPorts,
  batch: SubmittedBatch,
  task: TaskFolder,
  before: TaskCheck[],
): Promise<VerifiedTask> {
  const runId = (model: string): string | null =>
    batch.runs.find((run) => run.task.id === task.spec.id && run.model.name === model)?.runId ?? null;
  const played = async (id: string | null): Promise<Played | null> =>
    id === null ? null : { run: await queries.showRun(id), steps: await queries.trajectory(id) };
  const runs = {
    baseline: runId(MODELS.baseline),
    oracle: runId(MODELS.oracle),
    spoiler: runId(MODELS.spoiler),
  };
  if (runs.baseline === null) throw new BenchError('failed', `task ${task.spec.id} was not played`);
  const checks = [
    ...before,
    ...(isHarbor(task) ? judgeHarborTask : judgeTask)({
      ...{ spec: task.spec, backend: batch.backend, secrets: secretsOf(task) },
      baseline: await played(runs.baseline),
      oracle: await played(runs.oracle),
      spoiler: await played(runs.spoiler),
    }),
  ];
  const ok = checks.every(({ status }) => status !== 'failed');
  return { task: task.spec.id, profile: task.spec.profile ?? null, ok, checks, runs };
}
