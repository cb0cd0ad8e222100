import { open, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { BenchError } from '../../../domain/errors.js';
import { runDirectoryName } from '../../../domain/mlgym/run-directory.js';
import type { Exports } from '../../../domain/ports/exports.js';
import type { RunReads } from '../../../domain/ports/reading/runs.js';
import type { TrajectoryReads } from '../../../domain/ports/reading/trajectories.js';
import type { TrajectoryStep } from '../../../domain/views/trajectory.js';
import { type HistoryMessage, type HistoryPorts, playedHistory, recordedHistory } from './mlgym-history.js';
import { writeNewFolder } from './targets.js';

export type RunDirectoryPorts = HistoryPorts & {
  queries: Pick<RunReads, 'showRun'> & Pick<TrajectoryReads, 'trajectory'>;
  exports: Pick<Exports, 'source' | 'standing'>;
};

/** MLGym's name for the only agent of a run. */
const AGENT = 'primary_0';

/**
 * Writes an MLGym run directory into `folder`, whole or not at all. Throws BenchError if it exists.
 */
export async function writeRunDirectory(ports: RunDirectoryPorts, runId: string, folder: string): Promise<string> {
  const { queries, exports } = ports;
  const run = await queries.showRun(runId);
  const [source, steps] = [await exports.source(runId), await queries.trajectory(runId)];
  const history = source === null ? playedHistory(ports, run, steps) : recordedHistory(source, steps);
  const name =
    source?.source ??
    runDirectoryName({
      model: run.model,
      task: run.task,
      agent: run.agent,
      temperature: run.sampling.temperature ?? null,
      topP: run.sampling.topP ?? null,
      costLimitUsd: null,
      runIndex: run.attempt - 1,
      ...(run.replaces !== null && { suffix: runId }),
    });
  const { counts, endReason, replaces, forkedFrom } = await exports.standing(runId);
  const path = join(folder, name);
  if (existsSync(path))
    throw new BenchError('usage', `${path} already exists`, {
      code: 'file.exists',
      remedy: 'Choose an empty folder with -o.',
    });
  const scores = run.evaluationList
    .filter(({ split, status }) => split === 'test' && status === 'ok')
    .map(({ metrics }) => metrics);
  const baseline = source?.baseline ?? (run.baseline === null ? null : { [run.primary]: run.baseline });
  const cost = Number(run.recordedCostUsd ?? run.costUsd);
  const info = {
    // Unknown too where an imported run's record lacks it.
    model_stats:
      source === null
        ? {
            total_cost: cost,
            task_cost: cost,
            tokens_sent: run.usage.inputTokens,
            tokens_received: run.usage.outputTokens,
            api_calls: run.modelCalls ?? 0,
          }
        : source.modelStats,
    exit_status: source === null ? run.exitStatus : source.rawExitStatus,
    submission: source?.submission ?? null,
    score: scores,
    summarizer: {},
    // Readers of the format ignore unknown keys.
    bench: { run_id: runId, counts, end_reason: endReason, replaces, forked_from: forkedFrom },
  };
  const args =
    source === null
      ? {
          environment: { max_steps: run.maxSteps, seed: run.seed, container_type: run.backend },
          agent: { agent_config_path: run.agent, model: { model_name: run.providerModel } },
        }
      : source.args;
  await writeNewFolder(path, join(folder, `.partial-${runId}`), async (partial) => {
    // An MLGym run without a trajectory had none.
    if (source === null || source.rawExitStatus !== null || steps.length > 0)
      await writeTrajectory(
        join(partial, `${run.task.replaceAll('/', '-')}.traj`),
        source?.environment ?? 'mlgym_main',
        run.workspace,
        steps,
        history,
        info,
      );
    await writeFile(
      join(partial, 'results.json'),
      `${JSON.stringify({ agent: scores, ...(baseline !== null && { baseline }) })}\n`,
    );
    if (args !== null) await writeFile(join(partial, 'args.yaml'), stringify(args));
  });
  return name;
}

async function writeTrajectory(
  path: string,
  environment: string,
  workspace: string | null,
  steps: readonly TrajectoryStep[],
  history: AsyncIterable<HistoryMessage>,
  info: unknown,
): Promise<void> {
  const file = await open(path, 'w');
  let first = true;
  const entry = async (value: unknown): Promise<void> => {
    await file.write(`${first ? '' : ', '}${JSON.stringify(value)}`);
    first = false;
  };
  try {
    await file.write(`{"environment": ${JSON.stringify(environment)}, "trajectory": [`);
    for (const [i, step] of steps.entries()) {
      const before = steps[i - 1];
      await entry({
        action: step.action ?? 'exit_format',
        observation: step.observation,
        response: step.response,
        state: JSON.stringify({
          open_file: before?.toolState?.openFile ?? 'n/a',
          working_dir: before === undefined ? workspace : before.workingDir,
        }),
        thought: step.thought,
        execution_time: (step.commandMs ?? 0) / 1000,
      });
    }
    await file.write('], "history": [');
    first = true;
    for await (const message of history) await entry({ ...message, agent: AGENT });
    await file.write(`], "info": ${JSON.stringify(info)}}\n`);
  } finally {
    await file.close();
  }
}
