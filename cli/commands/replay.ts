import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { BenchError } from '../../domain/errors.js';
import { UNSCORED_ENDS } from '../../domain/outcomes.js';
import { compareWithRecording, recordedPrimary } from '../../domain/recording-comparison.js';
import type { Backend } from '../../domain/run.js';
import { loadRecording, REPLAY_PREFIX, selectTasks } from '../../catalog/index.js';
import type { CliContext } from '../context.js';
import { detachedAdvice, followBatch } from '../follow-batch.js';
import { backendOption, wholeNumber } from '../options.js';
import { renderReplay, type ReplayReport } from '../render/replay.js';
import { submitBatch } from '../../operations/batches/submit-batch.js';

interface ReplayOptions {
  task?: string;
  agent: string;
  backend?: Backend;
  maxSteps?: number;
}

/** A run of a recording beside that recording; of a run that is not over, so far. */
async function reportOn(context: CliContext, runId: string): Promise<ReplayReport> {
  const { queries, store } = await context.database();
  const [run, definition, steps] = await Promise.all([
    queries.showRun(runId),
    store.definition(runId),
    queries.trajectory(runId),
  ]);
  const { recording, model: hash } = definition.model;
  if (recording === undefined)
    throw new BenchError('usage', `run ${runId} is of ${run.model}: it plays no recording`, {
      remedy: '`bench replay <file.traj> --task <id>` plays one; `bench trajectory <run> --json` writes one.',
    });
  const evaluations = run.evaluationList.filter(({ status }) => status === 'ok');
  return {
    runId,
    batchId: run.batchId,
    model: run.model,
    recording: { hash, format: recording.format, leftOut: recording.leftOut, endedBy: recording.endedBy },
    task: run.task,
    agent: run.agent,
    backend: run.backend,
    status: run.status,
    endReason: run.endReason,
    finalEvaluation: run.finalEvaluation,
    exitStatus: run.exitStatus,
    detail: run.detail,
    scores: {
      primary: run.primary,
      direction: run.direction,
      recorded: recording.scores.map((metrics) => recordedPrimary(metrics, run.primary)),
      now: evaluations.map(({ primary }) => primary),
    },
    ...compareWithRecording(recording, steps, run.workspace),
  };
}

/** Submit the file as a batch of one run and wait for it; the id of that run, and whether it was left before its end. */
async function play(context: CliContext, file: string, task: string, options: ReplayOptions) {
  const tasks = selectTasks(context.settings.configsDir, [task]);
  if (tasks.length !== 1)
    throw new BenchError('usage', `--task ${task} names ${tasks.length} tasks; a recording is of one`, {
      remedy: `Name the one, or play it on all of them: bench submit --models ${REPLAY_PREFIX}${file} --tasks ${task}`,
    });
  const { recording } = loadRecording(file);
  const batch = await submitBatch(context, {
    models: [REPLAY_PREFIX + file],
    tasks: [task],
    agent: options.agent,
    attempts: 1,
    // Room for every recorded reply, and to hand in.
    maxSteps: options.maxSteps ?? recording.steps.length + 1,
    concurrency: 1,
    backend: options.backend,
  });
  const runId = batch.runs[0]!.runId;
  context.output.log(`Run ${runId} plays ${recording.steps.length} recorded replies on the ${batch.backend} backend`);
  const { detached } = await followBatch(context, batch.batchId, 'stderr');
  if (detached) {
    context.output.log(detachedAdvice(batch.batchId));
    context.output.log(`  bench replay ${runId}   compare it with the recording`);
    context.setExitCode(130);
  }
  return { runId, detached };
}

async function replay(context: CliContext, target: string, options: ReplayOptions): Promise<void> {
  if (options.task === undefined && !/^r-/.test(target) && existsSync(target))
    throw new BenchError('usage', `--task is missing: which task is ${target} a recording of?`, {
      remedy: '`bench tasks` lists them.',
    });
  const played =
    options.task === undefined
      ? { runId: (await (await context.database()).queries.findRun(target)).runId, detached: false }
      : await play(context, target, options.task, options);
  const report = await reportOn(context, played.runId);
  context.output.json(report);
  context.output.print(renderReplay(report, context.output));
  if (!played.detached && report.endReason !== null && UNSCORED_ENDS.includes(report.endReason)) context.setExitCode(1);
}

export function register(program: Command, context: CliContext): void {
  program
    .command('replay')
    .summary('play a recorded run again, and compare')
    .description(
      'Run the recorded replies of a run again in a fresh sandbox, and report where observations differ from the recorded ones. Takes a `.traj` of MLGym, or what `bench trajectory <run> --json` printed. With the id of a run that played a recording, and no --task: its report, without running anything.',
    )
    .argument('<recording>', 'a file; or the run that played one')
    .option('--task <id>', 'the task that it is a recording of; see `bench tasks`')
    .option('--agent <name>', 'agent configuration, whose commands and reply format count', 'default')
    .addOption(backendOption())
    .option('--max-steps <n>', 'steps; default: all that are recorded, and one to hand in', wholeNumber(1, 100_000))
    .action((target: string, options: ReplayOptions) => replay(context, target, options));
}
