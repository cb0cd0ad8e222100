import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BenchError } from '../../domain/errors.js';
import { newBatchId } from '../../domain/ids.js';
import type { SamplingParameters } from '../../domain/model.js';
import type { Backend, RunDefinition } from '../../domain/run.js';
import type { LoadedAgent } from '../../registry/index.js';
import { freezeTask, loadAgent, resolveModels, selectTasks } from '../../registry/index.js';
import type { CliContext } from '../context.js';
import { asBenchError } from '../errors.js';
import { checkAgent } from './check-agent.js';
import { checkBackendNeeds } from './check-backend-needs.js';
import { checkHosts, refuseGpusOnPodman } from './check-hosts.js';
import { checkModels } from './check-models.js';
import { checkRecordings } from './check-recordings.js';
import { chooseBackend } from './choose-backend.js';
import { ensureTaskImages } from './ensure-task-images.js';
import { planRuns } from './plan-runs.js';
import { startBatchWorkflow } from './start-batch.js';

export interface SubmitRequest {
  models: string[];
  tasks: string[];
  agent: string;
  attempts: number;
  maxSteps: number;
  wallSeconds: number;
  gpusPerRun: number | null;
  concurrency: number;
  backend: Backend | undefined;
  seed: number;
  name: string | null;
  dryRun: boolean;
  /** Instead of each model's own. */
  sampling?: SamplingParameters;
  /** Take models that have no price. */
  allowUnpriced?: boolean;
  /** Per run, US dollars; null or absent: no limit. */
  costLimitUsd?: string | null;
  /** Tokens per run, in and out; 0 or absent: no limit. */
  tokenLimit?: number;
  /** Give the runs their tasks' memories. */
  memory?: boolean;
  /** Somebody sits at the terminal to play: without, the model `human` is refused. */
  person?: boolean;
}

export interface SubmittedBatch {
  batchId: string;
  name: string | null;
  backend: Backend;
  runs: RunDefinition[];
}

/** More runs than this in one batch is surely a slip of the keyboard. */
const MAX_RUNS = 100_000;

function harnessVersion(assetsRoot: string): string {
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

/**
 * Expand the matrix, store it, start it. Everything that can be wrong with the request is found before anything is started or
 * written; then the order is: tasks frozen, services up, rows in one transaction, workflow. A failure between the last two
 * leaves a batch that `bench resume` goes on with.
 */
export async function submitBatch(context: CliContext, request: SubmitRequest): Promise<SubmittedBatch> {
  const { settings } = context;
  const models = resolveModels(settings.configsDir, request.models, { allowUnpriced: request.allowUnpriced === true });
  const tasks = selectTasks(settings.configsDir, request.tasks);
  const agent = loadAgent(settings.configsDir, request.agent);
  if (request.memory === true) requireMemoryCommands(agent);
  if (request.person !== true && models.some(({ kind }) => kind === 'human'))
    throw new BenchError('usage', 'nobody would answer: a person plays in a terminal, not in a batch', {
      remedy: 'Start it with `bench human --task <task>`.',
    });
  checkAgent(agent, models);
  checkRecordings(agent, models);
  const count = models.length * tasks.length * request.attempts;
  if (count > MAX_RUNS) {
    throw new BenchError('usage', `this would be ${count} runs; a batch takes at most ${MAX_RUNS}`, {
      remedy: 'Lower --attempts, or submit several batches.',
    });
  }
  checkModels(context, models, request.sampling ?? {}, { needKeys: !request.dryRun });
  const backend = await chooseBackend(context, request.backend, models, { prepare: !request.dryRun });
  checkBackendNeeds(tasks, backend);
  if (!request.dryRun) await ensureTaskImages(context, tasks, backend);
  const batchId = newBatchId();
  const runs = planRuns({ ...request, batchId, models, tasks, agent, backend });
  const gpus = Math.max(0, ...runs.map((run) => run.gpus));
  refuseGpusOnPodman(gpus, backend);
  const batch: SubmittedBatch = { batchId, name: request.name, backend, runs };
  if (request.dryRun) return batch;

  for (const task of tasks) freezeTask(settings.layout, task);
  const database = await context.database();
  checkHosts(await database.queries.hosts(), { backend, gpus });
  const client = await context.temporal();
  await database.submit({
    batch: {
      batchId,
      name: request.name,
      spec: { ...request, backend, tasks: tasks.map((task) => task.spec.id) },
      seed: request.seed,
      concurrency: request.concurrency,
      budgetUsd: null,
      harnessVersion: harnessVersion(settings.assetsRoot),
    },
    runs,
  });
  try {
    await startBatchWorkflow(client, { batchId, runs: runs.length, concurrency: request.concurrency });
  } catch (cause) {
    throw new BenchError(
      'services',
      `batch ${batchId} is stored with ${runs.length} runs, but could not be started: ${asBenchError(cause).message}`,
      { remedy: `\`bench resume ${batchId}\` starts it.`, cause },
    );
  }
  return batch;
}

/** The JSON form that scripts rely on; a dry run has no ids. */
export const submittedDocument = (batch: SubmittedBatch, dryRun: boolean): Record<string, unknown> => ({
  batchId: dryRun ? null : batch.batchId,
  dryRun,
  name: batch.name,
  backend: batch.backend,
  runs: batch.runs.map((run) => ({
    runId: dryRun ? null : run.runId,
    model: run.model.name,
    task: run.task.id,
    attempt: run.attempt,
    seed: run.seed,
  })),
});
