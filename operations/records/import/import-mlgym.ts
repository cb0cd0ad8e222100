import type { RunImports } from '../../../domain/ports/imports.js';
import { join } from 'node:path';
import type { ImportOutcome, RecordedEnd, StepWriter } from '../../../domain/ports/imports.js';
import { BenchError } from '../../../domain/errors.js';
import { readExitStatus } from '../../../domain/mlgym/exit-status.js';
import { MLGYM_TASKS, type MlgymTask } from '../../../domain/mlgym/tasks.js';
import { readArguments, type RunArguments } from './read-arguments.js';
import { type Json, readJson } from './read-json.js';
import { readTrajectory, type Trajectory } from './read-trajectory.js';
import { metricsOf, recordedScores } from './recorded-scores.js';
import { Remarks } from './remarks.js';
import { ARGUMENTS, contentHash, RESULTS, type RunDirectory } from './run-directories.js';
import { textChunks } from './text-chunks.js';
import { UnreadableFile } from './unreadable-file.js';
import type { DirectoryResult } from '../../../domain/views/imports.js';

export interface MlgymImport {
  batch: string;
  /** Ranking metrics of tasks beyond MLGym-Bench. */
  tasks: Readonly<Record<string, MlgymTask>>;
  dryRun: boolean;
  onDirectory?: (done: DirectoryResult, number: number) => void;
  /** Aborted: stop after the current directory. */
  signal?: AbortSignal;
}

/** Each directory is one transaction: whole, or not at all with a remark that says why. */
export async function importMlgym(
  database: Pick<RunImports, 'importRun'>,
  directories: readonly RunDirectory[],
  options: MlgymImport,
): Promise<DirectoryResult[]> {
  const results: DirectoryResult[] = [];
  for (const directory of directories) {
    if (options.signal?.aborted === true) break;
    const done = await importDirectory(database, directory, options);
    results.push(done);
    options.onDirectory?.(done, results.length);
  }
  return results;
}

async function importDirectory(
  database: Pick<RunImports, 'importRun'>,
  directory: RunDirectory,
  options: MlgymImport,
): Promise<DirectoryResult> {
  const remarks = new Remarks(directory.source);
  let steps = 0;
  const result = (outcome: DirectoryResult['outcome'], runId: string | null): DirectoryResult => ({
    source: directory.source,
    outcome,
    runId,
    steps: outcome === 'imported' ? steps : 0,
    remarks: remarks.all(),
  });
  try {
    const outcome = await tryImport(database, directory, options, remarks, (count) => (steps = count));
    if (outcome === null) return result('failed', null);
    if (outcome.kind === 'changed')
      remarks.failed(
        null,
        '',
        'changed',
        `was imported before, as run ${outcome.runId}, with other content, and was left unchanged. To keep both, import into another batch.`,
      );
    if (outcome.kind === 'existing' && outcome.batch !== options.batch)
      remarks.odd(
        null,
        '',
        'in_other_batch',
        `is run ${outcome.runId} of batch ${outcome.batch ?? outcome.batchId} already: it is not added to ${options.batch}`,
      );
    return result(outcome.kind, outcome.runId);
  } catch (error) {
    if (error instanceof UnreadableFile) remarks.failed(error.file, error.key, error.kind, error.message);
    else if (error instanceof BenchError && error.type !== 'services')
      remarks.failed(null, '', 'not_stored', [error.message, error.remedy].filter(Boolean).join('. '));
    else throw error;
    return result('failed', null);
  }
}

async function tryImport(
  database: Pick<RunImports, 'importRun'>,
  directory: RunDirectory,
  options: MlgymImport,
  remarks: Remarks,
  counted: (steps: number) => void,
): Promise<ImportOutcome | null> {
  const { name, source } = directory;
  if (name === null) {
    remarks.failed(null, '', 'unknown_name', 'its name is not <model>__<task>__<settings>_run_<number>');
    return null;
  }
  if (directory.trajectory === null && !directory.results) {
    remarks.failed(null, '', 'no_files', `contains neither ${name.task}.traj nor ${RESULTS}`);
    return null;
  }
  const hash = await contentHash(directory);
  const results = directory.results ? await readResults(join(directory.path, RESULTS)) : null;
  const task = taskOf(name.task, options.tasks);
  if (task === null) {
    remarks.failed(null, '', 'unknown_task', unknownTask(name.task, results));
    return null;
  }
  const args = await readArguments(directory.args ? join(directory.path, ARGUMENTS) : null);
  if (args.problem !== null) remarks.odd(ARGUMENTS, '', 'arguments_unreadable', args.problem);
  for (const other of directory.others)
    remarks.odd(other, '', 'further_trajectory', `not read: ${directory.trajectory ?? ''} is the run's`);
  const own: { baseline: number | null } = { baseline: null };
  const outcome = await database.importRun(
    {
      source,
      contentHash: hash,
      model: name.model,
      providerModel: args.providerModel ?? name.model,
      taskId: name.task,
      task,
      attempt: name.runIndex + 1,
      agent: name.agent ?? 'unknown',
      sampling: {
        ...(name.temperature !== null && { temperature: name.temperature }),
        ...(name.topP !== null && { topP: name.topP }),
      },
      seed: args.seed,
      maxSteps: args.maxSteps,
      costLimitUsd: name.costLimitUsd,
      backend: args.backend,
      gpus: args.gpus,
    },
    options,
    async (write) => {
      const end = await readRun(directory, results, args, task, remarks, write);
      counted(end.steps);
      own.baseline = end.baselineValue;
      return { end, remarks: remarks.all().map(({ source: _, ...remark }) => remark) };
    },
  );
  if (outcome.kind === 'imported') {
    if (outcome.attempt !== name.runIndex + 1)
      remarks.odd(
        null,
        '',
        'attempt_taken',
        `another directory is attempt ${name.runIndex + 1}: this one is ${outcome.attempt}`,
      );
    if (own.baseline !== null && outcome.taskBaseline !== null && own.baseline !== outcome.taskBaseline)
      remarks.odd(
        RESULTS,
        'baseline',
        'baseline_differs',
        `${task.metric} is ${own.baseline}, while the first one imported of this task, which counts, is ${outcome.taskBaseline}`,
      );
  }
  return outcome;
}

function unknownTask(id: string, results: Results | null): string {
  const [first] = results?.agent === undefined || !Array.isArray(results.agent) ? [] : results.agent;
  const metrics = typeof first === 'object' && first !== null ? Object.keys(first).slice(0, 10) : [];
  return (
    `the primary metric of ${id} is unknown: give it as "${id}=<metric>:max" or :min` +
    (metrics.length === 0 ? '' : `; its metrics: ${metrics.join(', ')}`)
  );
}

function taskOf(id: string, given: Readonly<Record<string, MlgymTask>>): MlgymTask | null {
  for (const table of [given, MLGYM_TASKS]) if (Object.hasOwn(table, id)) return table[id] ?? null;
  return null;
}

interface Results {
  agent?: Json;
  baseline?: Json;
}

async function readResults(path: string): Promise<Results> {
  const results: Results = {};
  await readJson(textChunks(path, RESULTS), RESULTS, {
    lists: [],
    limit: () => ({ head: 1024, tail: 1024 }),
    entry: () => undefined,
    value: (key, value) => {
      if (key === 'agent' || key === 'baseline') results[key] = value;
    },
  });
  return results;
}

/** A run's files. Missing or odd parts become remarks; an unreadable file throws UnreadableFile. */
async function readRun(
  directory: RunDirectory,
  results: Results | null,
  args: RunArguments,
  task: MlgymTask,
  remarks: Remarks,
  write: StepWriter,
): Promise<RecordedEnd> {
  const file = directory.trajectory;
  if (file === null) remarks.odd(null, '', 'no_trajectory', 'has no .traj: no steps, and no status');
  if (results === null) remarks.odd(null, '', 'no_results', `has no ${RESULTS}: scores are those of the .traj`);
  const trajectory = file === null ? null : await readTrajectory(join(directory.path, file), file, remarks, write);
  const info = trajectory?.info ?? null;
  const status = info?.['exit_status'];
  if (info !== null && typeof status !== 'string')
    remarks.odd(file, 'info.exit_status', 'missing_key', 'is not a string: why the run ended is unknown');
  const rawExitStatus = typeof status === 'string' ? status : null;
  const end = readExitStatus(rawExitStatus, trajectory?.lastAction ?? null);
  if (end.endReason === 'unknown' && rawExitStatus !== null)
    remarks.odd(file, 'info.exit_status', 'unknown_status', `"${rawExitStatus.slice(0, 200)}" is not one of MLGym's`);
  const { list, from } = scoreList(results, info, file, remarks);
  const scores = recordedScores(list, from, task, end, trajectory ?? { steps: 0, validates: [], valid: [] }, remarks);
  const baseline = baselineOf(results, task, remarks);
  return {
    steps: trajectory?.steps ?? 0,
    ...end,
    rawExitStatus,
    ...usage(info, file ?? '', remarks),
    bestScore: scores.best,
    finalScore: scores.final,
    evaluations: scores.evaluations,
    submission: typeof info?.['submission'] === 'string' ? info['submission'] : null,
    workspace: trajectory?.workspace ?? null,
    ...baseline,
    environment: trajectory?.environment ?? null,
    args: args.args,
    prompt: trajectory?.prompt ?? null,
    footers: trajectory?.footers ?? null,
    historyMessages: trajectory?.historyMessages ?? null,
    lastAction: trajectory?.lastAction ?? null,
  };
}

/** The scores of results.json, else those that the trajectory repeats. */
function scoreList(
  results: Results | null,
  info: Trajectory['info'],
  file: string | null,
  remarks: Remarks,
): { list: readonly Json[]; from: { file: string; key: string } } {
  const { agent } = results ?? {};
  const repeated = info?.['score'];
  if (Array.isArray(agent)) {
    if (Array.isArray(repeated) && JSON.stringify(repeated) !== JSON.stringify(agent))
      remarks.odd(file, 'info.score', 'scores_differ', `is not what ${RESULTS} has under agent, which counts`);
    return { list: agent, from: { file: RESULTS, key: 'agent' } };
  }
  if (results !== null)
    remarks.odd(RESULTS, 'agent', agent === undefined ? 'missing_key' : 'wrong_type', 'no list of scores');
  if (Array.isArray(repeated)) return { list: repeated, from: { file: file ?? '', key: 'info.score' } };
  return { list: [], from: { file: RESULTS, key: 'agent' } };
}

function baselineOf(
  results: Results | null,
  task: MlgymTask,
  remarks: Remarks,
): Pick<RecordedEnd, 'baseline' | 'baselineValue'> {
  if (results === null) return { baseline: null, baselineValue: null };
  if (results.baseline == null) {
    remarks.odd(RESULTS, 'baseline', 'missing_key', 'is missing');
    return { baseline: null, baselineValue: null };
  }
  const baseline = metricsOf(results.baseline, RESULTS, 'baseline', remarks)?.metrics ?? null;
  const value = baseline !== null && Object.hasOwn(baseline, task.metric) ? (baseline[task.metric] ?? null) : null;
  if (baseline !== null && value === null)
    remarks.odd(
      RESULTS,
      `baseline.${task.metric}`,
      'baseline_without_metric',
      'the metric that ranks is missing: not used',
    );
  return { baseline, baselineValue: value };
}

function usage(
  info: Trajectory['info'],
  file: string,
  remarks: Remarks,
): Pick<RecordedEnd, 'inputTokens' | 'outputTokens' | 'recordedCostUsd' | 'recordedCalls' | 'modelStats'> {
  const held = info?.['model_stats'];
  const stats = typeof held === 'object' && held !== null && !Array.isArray(held) ? held : null;
  if (info !== null && stats === null)
    remarks.odd(file, 'info.model_stats', 'missing_key', 'is missing: no tokens, no recorded cost');
  const number = (key: string, most: number): number | null => {
    const value = stats?.[key];
    if (typeof value === 'number' && value >= 0 && value <= most) return value;
    if (stats !== null) {
      const kind = value == null ? 'missing_key' : typeof value === 'number' ? 'not_a_number' : 'wrong_type';
      remarks.odd(file, `info.model_stats.${key}`, kind, 'a number was expected; omitted');
    }
    return null;
  };
  const count = (key: string): number | null => {
    const value = number(key, Number.MAX_SAFE_INTEGER);
    return value === null ? null : Math.round(value);
  };
  const cost = number('total_cost', 1e9);
  return {
    // The stats distinguish unknown counts from 0 (run_tokens).
    inputTokens: count('tokens_sent') ?? 0,
    outputTokens: count('tokens_received') ?? 0,
    recordedCostUsd: cost === null ? null : String(cost),
    recordedCalls: count('api_calls'),
    modelStats:
      stats === null
        ? null
        : Object.fromEntries(
            Object.entries(stats).filter((entry): entry is [string, number] => Number.isFinite(entry[1])),
          ),
  };
}
