import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BenchError } from '../../domain/errors.js';
import { newBatchId } from '../../domain/ids.js';
import type { Backend, RunDefinition } from '../../domain/run.js';
import type { BatchDefinition } from '../../db/index.js';
import {
  type LoadedAgent,
  freezeTask,
  loadAgent,
  resolveModels,
  selectTasks,
  underProfile,
} from '../../catalog/index.js';
import type { Bench } from '../bench.js';
import { asBenchError } from '../as-bench-error.js';
import { type SkippedTask, tasksOnBackend, tasksWithData, tasksWithGpus } from './available-tasks.js';
import { checkAgent } from './check-agent.js';
import { checkHosts, refuseGpusOnPodman } from './check-hosts.js';
import { checkModels } from './check-models.js';
import { checkOracles } from './check-oracles.js';
import { checkRecordings } from './check-recordings.js';
import { chooseBackend } from './choose-backend.js';
import { ensureTaskImages } from './ensure-task-images.js';
import { type Hosts, hostsIfKnown } from './hosts-if-known.js';
import { planRuns } from './plan-runs.js';
import { type Specification, specificationDifferences, specificationOf } from './specification.js';
import { startBatchWorkflow } from '../../temporal/start-batch.js';
import type { GroupRequest, LoadedGroup, SubmitRequest, SubmittedBatch } from './request.js';

/** More runs than this in one batch is surely a slip of the keyboard. */
const MAX_RUNS = 100_000;

export function harnessVersion(assetsRoot: string): string {
  const manifest = JSON.parse(readFileSync(join(assetsRoot, 'package.json'), 'utf8')) as { version: string };
  return manifest.version;
}

/** An agent that is not told of its memory would only seem to have one. */
function requireMemoryCommands({ name, config }: LoadedAgent): void {
  const known = config.tools.commands.map((command) => command.name);
  const missing = ['memory_read', 'memory_write'].filter((command) => !known.includes(command));
  if (missing.length === 0) return;
  throw new BenchError('usage', `--memory: the agent ${name} is not told of ${missing.join(' and ')}`, {
    remedy:
      'Choose one that is, such as --agent default-memory, or add commands/memory.yaml to its tools.commandFiles.',
  });
}

/** Everything that can be wrong with the groups and be known without an engine or a database. */
export function loadGroups(
  bench: Bench,
  groups: readonly GroupRequest[],
  { needKeys, person }: { needKeys: boolean; person: boolean },
): LoadedGroup[] {
  const { settings } = bench;
  const loaded = groups.map((group) => {
    const modelRefs = resolveModels(settings.configsDir, group.models, { allowUnpriced: group.allowUnpriced === true });
    const sample = group.sample === true;
    const selected = underProfile(selectTasks(settings.configsDir, group.tasks), {
      profile: group.profile ?? null,
      sample,
    });
    const { taskFolders, skipped } = tasksWithData(bench, selected, {
      ...{ sample, skip: group.skipUnavailable === true, named: group.tasks },
    });
    const loadedAgent = loadAgent(settings.configsDir, group.agent);
    if (group.memory === true) requireMemoryCommands(loadedAgent);
    if (!person && modelRefs.some(({ kind }) => kind === 'human'))
      throw new BenchError('usage', 'nobody would answer: a person plays in a terminal, not in a batch', {
        remedy: 'Start it with `bench human --task <task>`.',
      });
    checkAgent(loadedAgent, modelRefs, taskFolders);
    checkOracles(modelRefs, taskFolders);
    checkRecordings(loadedAgent, modelRefs);
    return { ...group, modelRefs, taskFolders, loadedAgent, skipped };
  });
  refuseTooMany(loaded);
  refuseRepeated(loaded);
  for (const group of loaded) checkModels(bench, group.modelRefs, group.sampling ?? {}, { needKeys });
  return loaded;
}

function refuseTooMany(groups: readonly LoadedGroup[]): void {
  const count = groups.reduce((sum, one) => sum + one.modelRefs.length * one.taskFolders.length * one.attempts, 0);
  if (count > MAX_RUNS)
    throw new BenchError('usage', `this would be ${count} runs; a batch takes at most ${MAX_RUNS}`, {
      remedy: 'Lower --attempts, or submit several batches.',
    });
}

/** A batch has one line of attempts for each model and task. */
function refuseRepeated(groups: readonly LoadedGroup[]): void {
  const seen = new Map<string, number>();
  for (const [nth, { modelRefs, taskFolders }] of groups.entries())
    for (const model of modelRefs)
      for (const task of taskFolders) {
        const pair = `${model.name} on ${task.spec.id}`;
        const other = seen.get(pair);
        if (other !== undefined && other !== nth)
          throw new BenchError('usage', `groups ${other + 1} and ${nth + 1} both have ${pair}`, {
            remedy: 'Leave it in one of them; ways to play the same pair are compared as batches of their own.',
          });
        seen.set(pair, nth);
      }
}

/**
 * Expand the matrix, store it, start it. Everything that can be wrong with the request is found before anything is started or
 * written; then the order is: tasks frozen, services up, rows in one transaction, workflow. A failure between the last two
 * leaves a batch that `bench resume` goes on with. A request whose name is taken by a batch of the same specification is that batch.
 */
export async function submitBatch(bench: Bench, request: SubmitRequest): Promise<SubmittedBatch> {
  const named = loadGroups(bench, [request, ...(request.further ?? [])], {
    needKeys: !request.dryRun,
    person: request.person === true,
  });
  const batchId = newBatchId();
  const { groups, backend, runs, skipped } = await prepareRuns(bench, named, { ...request, batchId });
  const { name, concurrency, budgetUsd = null } = request;
  const batch: SubmittedBatch = { batchId, name, backend, runs, concurrency, budgetUsd, skipped };
  if (request.dryRun) return batch;

  const spec = specificationOf(request, groups, backend);
  const known = request.name === null ? null : await existingBatch(bench, request.name, spec, batch);
  if (known !== null) return known;
  await freezeAndCheck(bench, groups, batch);
  await storeAndStart(bench, batch, {
    spec,
    seed: request.seed,
    priority: request.priority ?? 3,
    verification: request.verification ?? false,
  });
  return batch;
}

/** The backend for all groups, checked against what they need, and their runs. Nothing is stored. */
export async function prepareRuns(
  bench: Bench,
  named: readonly LoadedGroup[],
  request: {
    batchId: string;
    backend: Backend | undefined;
    dryRun: boolean;
    seed: number;
    firstAttempt?: (model: string, task: string) => number;
  },
): Promise<{ groups: LoadedGroup[]; backend: Backend; runs: RunDefinition[]; skipped: SkippedTask[] }> {
  const models = named.flatMap((group) => group.modelRefs);
  const choose = (prepare: { signal: AbortSignal } | null): Promise<Backend> =>
    chooseBackend(bench, request.backend, models, { prepare });
  const likely = await choose(null);
  // Images take minutes: what no host could bear is refused before.
  const hosts = request.dryRun ? await hostsIfKnown(bench) : await (await bench.database()).queries.hosts();
  const planned = planOn(bench, named, { ...request, backend: likely, hosts });
  if (request.dryRun || likely === 'local') return planned;
  return await bench.abortable('batch-images', async (signal) => {
    const backend = await choose({ signal });
    const final = backend === likely ? planned : planOn(bench, named, { ...request, backend, hosts });
    const tasks = final.groups.flatMap((group) => group.taskFolders);
    await ensureTaskImages(bench, tasks, backend, signal);
    return final;
  });
}

/** The groups and runs on a backend, as far as its hosts can bear them. `hosts` null: nobody knows them. */
function planOn(
  bench: Bench,
  named: readonly LoadedGroup[],
  {
    backend,
    hosts,
    ...request
  }: {
    batchId: string;
    backend: Backend;
    hosts: Hosts | null;
    seed: number;
    firstAttempt?: (model: string, task: string) => number;
  },
): { groups: LoadedGroup[]; backend: Backend; runs: RunDefinition[]; skipped: SkippedTask[] } {
  const groups = named.map((group) => {
    const skip = group.skipUnavailable === true;
    const { taskFolders, skipped } = tasksOnBackend(bench, group.taskFolders, { backend, skip });
    return { ...group, taskFolders, skipped: [...group.skipped, ...skipped] };
  });
  if (hosts !== null) leaveOutForGpus(bench, groups, backend, hosts);
  const { batchId, seed, firstAttempt } = request;
  const runs = groups.flatMap(({ modelRefs, taskFolders, loadedAgent, ...group }) =>
    planRuns({
      ...group,
      ...{ batchId, seed, backend, models: modelRefs, tasks: taskFolders, agent: loadedAgent },
      ...(firstAttempt !== undefined && { firstAttempt }),
    }),
  );
  refuseGpusOnPodman(mostGpus(runs), backend, profilesWithFewerGpus(groups, 0));
  if (hosts !== null) refuseUnbearable(hosts, groups, { backend, runs });
  return { groups, backend, runs, skipped: groups.flatMap((group) => group.skipped) };
}

/** Where tasks may be left out, those go whose GPUs no host that offers the backend has; the others are checked with the whole batch. */
function leaveOutForGpus(bench: Bench, groups: LoadedGroup[], backend: Backend, hosts: Hosts): void {
  const wanting = groups.filter(
    ({ skipUnavailable, gpusPerRun, taskFolders }) =>
      skipUnavailable === true && gpusPerRun === null && taskFolders.some(({ spec }) => spec.gpus > 0),
  );
  if (wanting.length === 0) return;
  const offering = hosts.filter(({ backends }) => backends.includes(backend));
  const most = Math.max(0, ...offering.map(({ gpus }) => gpus.length));
  for (const group of wanting) {
    const { taskFolders, skipped } = tasksWithGpus(bench, group.taskFolders, { backend, most, skip: true });
    group.taskFolders = taskFolders;
    group.skipped = [...group.skipped, ...skipped];
  }
}

/** Profiles under which no task of these groups asks for more GPUs than that, if there are any: for advice. */
function profilesWithFewerGpus(groups: readonly LoadedGroup[], gpus: number): string[] {
  const greedy = groups.flatMap(({ taskFolders }) => taskFolders).filter(({ spec }) => spec.gpus > gpus);
  const names = new Set(greedy.flatMap(({ spec }) => Object.keys(spec.profiles ?? {})));
  return [...names].filter((name) => greedy.every(({ spec }) => (spec.profiles?.[name]?.gpus ?? spec.gpus) <= gpus));
}

const mostGpus = (runs: readonly RunDefinition[]): number => runs.reduce((most, run) => Math.max(most, run.gpus), 0);

/** Runs play frozen copies of their tasks, and some host must be able to bear them. */
export async function freezeAndCheck(
  bench: Bench,
  groups: readonly LoadedGroup[],
  { backend, runs }: { backend: Backend; runs: readonly RunDefinition[] },
): Promise<void> {
  for (const task of groups.flatMap((group) => group.taskFolders)) freezeTask(bench.settings.layout, task);
  // Building images may have taken a while.
  refuseUnbearable(await (await bench.database()).queries.hosts(), groups, { backend, runs });
}

function refuseUnbearable(
  hosts: Hosts,
  groups: readonly LoadedGroup[],
  { backend, runs }: { backend: Backend; runs: readonly RunDefinition[] },
): void {
  const memoryMb = runs.reduce((most, run) => Math.max(most, run.task.limits.memoryMb), 0);
  checkHosts(hosts, {
    ...{ backend, gpus: mostGpus(runs), memoryMb },
    profiles: (gpus) => profilesWithFewerGpus(groups, gpus),
  });
}

/** Rows in one transaction, then the workflow. */
export async function storeAndStart(
  bench: Bench,
  { batchId, name, runs, concurrency, budgetUsd }: SubmittedBatch,
  batch: Pick<BatchDefinition, 'spec' | 'seed' | 'priority' | 'verification'>,
): Promise<void> {
  await bench.renewWorker();
  const database = await bench.database();
  const client = await bench.temporal();
  const version = harnessVersion(bench.settings.assetsRoot);
  await database.submit({ batch: { batchId, name, concurrency, budgetUsd, harnessVersion: version, ...batch }, runs });
  try {
    await startBatchWorkflow(client, { batchId });
  } catch (cause) {
    throw new BenchError(
      'services',
      `batch ${batchId} is stored with ${runs.length} runs, but could not be started: ${asBenchError(cause).message}`,
      { remedy: `\`bench resume ${batchId}\` starts it.`, cause },
    );
  }
}

/** The batch of this name, going on, if it is of this specification; null: the name is free. Throws BenchError (usage) if it is of another. */
async function existingBatch(
  bench: Bench,
  name: string,
  spec: Specification,
  { backend, concurrency, budgetUsd }: SubmittedBatch,
): Promise<SubmittedBatch | null> {
  const { batches, queries, store } = await bench.database();
  const known = await batches.named(name);
  if (known === null) return null;
  const { batchId } = known;
  const differences = specificationDifferences(known.spec, spec);
  if (differences.length > 0) {
    const more = differences.length > 5 ? `, and ${differences.length - 5} more` : '';
    throw new BenchError('usage', `a batch named "${name}" exists already, of another specification`, {
      remedy: `It differs in ${differences.slice(0, 5).join('; ')}${more}. Choose another --name, or add runs to it with --into ${name}.`,
    });
  }
  const { status, runList } = await queries.batchStatus(batchId);
  if (status === 'queued' || status === 'running') {
    await bench.renewWorker();
    await startBatchWorkflow(await bench.temporal(), { batchId });
  }
  const runs = await Promise.all(runList.map(({ runId }) => store.definition(runId)));
  return { batchId, name, backend, runs, concurrency, budgetUsd, existing: true };
}

/** The JSON form that scripts rely on; a dry run has no ids. */
export const submittedDocument = (batch: SubmittedBatch, dryRun: boolean): Record<string, unknown> => ({
  batchId: dryRun ? null : batch.batchId,
  dryRun,
  existing: batch.existing === true,
  name: batch.name,
  backend: batch.backend,
  skipped: batch.skipped ?? [],
  runs: batch.runs.map((run) => ({
    runId: dryRun ? null : run.runId,
    model: run.model.name,
    task: run.task.id,
    attempt: run.attempt,
    seed: run.seed,
    sample: run.sample === true,
    profile: run.task.profile ?? null,
  })),
});
