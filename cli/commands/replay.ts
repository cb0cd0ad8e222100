import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { BenchError } from '../../domain/errors.js';
import { UNSCORED_ENDS } from '../../domain/outcomes.js';
import { replayRequestSchema } from '../../domain/requests/tasks.js';
import { replay } from '../../operations/batches/replay.js';
import { replayReport } from '../../operations/results/replay-report.js';
import type { CliContext } from '../context.js';
import { detachedAdvice, followBatch } from '../follow-batch.js';
import { requestFields, requestOptions } from '../request-options.js';
import { renderReplay } from '../render/replay.js';
import type { ReplayReport } from '../../domain/views/replay.js';

type ReplayOptions = Readonly<Record<string, unknown>> & { task?: string };

/** Plays the file and waits for it; the id of the run, and whether it was left before its end. */
async function play(context: CliContext, file: string, task: string, options: ReplayOptions) {
  const fields = requestFields(replayRequestSchema.shape, options);
  const { runId, batchId, ...started } = await replay(context, { ...fields, file, task });
  context.output.log(`Run ${runId} plays ${started.replies} recorded replies on the ${started.backend} backend`);
  const { detached } = await followBatch(context, batchId, 'stderr');
  if (detached) {
    context.output.log(detachedAdvice(batchId));
    context.output.log(`  bench replay ${runId}   compare it with the recording`);
    context.setExitCode(130);
  }
  return { runId, detached };
}

async function playOrCompare(context: CliContext, target: string, options: ReplayOptions): Promise<void> {
  if (options.task === undefined && !/^r-/.test(target) && existsSync(target))
    throw new BenchError('usage', `--task is missing: which task does ${target} record?`, {
      remedy: '`bench tasks` lists them.',
    });
  const played =
    options.task === undefined
      ? { runId: target, detached: false }
      : await play(context, target, options.task, options);
  const report = await replayReport(context, played.runId);
  context.output.json(report satisfies ReplayReport);
  context.output.print(renderReplay(report, context.output));
  if (!played.detached && report.endReason !== null && UNSCORED_ENDS.includes(report.endReason)) context.setExitCode(1);
}

export function register(program: Command, context: CliContext): void {
  const command = program
    .command('replay')
    .summary('replay a recorded run and compare it')
    .description(
      'Run the recorded replies of a run again in a fresh sandbox, and report where observations differ. Reads an MLGym `.traj` file or the output of `bench trajectory <run> --json`. Given the id of a replayed run and no --task, prints its report again.',
    )
    .argument('<recording>', 'a recording, or the id of a run that replayed one')
    .action((target: string, options: ReplayOptions) => playOrCompare(context, target, options));
  for (const option of requestOptions(replayRequestSchema.shape, { without: ['file'] })) command.addOption(option);
}
