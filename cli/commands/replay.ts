import { statSync } from 'node:fs';
import type { Command } from 'commander';
import { BenchError } from '../../domain/errors.js';
import { UNSCORED_ENDS } from '../../domain/run/outcomes.js';
import { replayRequestSchema, replayTableRequestSchema } from '../../domain/requests/tasks.js';
import { replay } from '../../operations/batches/replay.js';
import { replayFolder } from '../../operations/batches/replay-folder.js';
import { findRunOrBatch } from '../../operations/results/find-run-or-batch.js';
import { replayReport } from '../../operations/results/replay-report.js';
import { replayTable } from '../../operations/results/replay-table.js';
import type { CliContext } from '../context.js';
import { detachedAdvice, followBatch } from '../follow-batch.js';
import { requestFields, requestOptions } from '../request-options.js';
import { renderReplay } from '../render/replay.js';
import { renderReplayTable } from '../render/replay-table.js';
import type { ReplayReport, ReplayTable } from '../../domain/views/replay.js';

type ReplayOptions = Readonly<Record<string, unknown>> & { task?: string };

const tableFields = { noise: replayTableRequestSchema.shape.noise };

/** Plays a file, or the files of a folder, and waits; what to compare then, and whether it was left before its end. */
async function play(context: CliContext, file: string, isFolder: boolean, task: string, options: ReplayOptions) {
  const request = { ...requestFields(replayRequestSchema.shape, options), file, task };
  let ref: string;
  let batchId: string;
  if (isFolder) {
    const started = await replayFolder(context, request);
    ref = batchId = started.batchId;
    context.output.log(`Batch ${batchId} plays ${started.recordings} recordings on the ${started.backend} backend`);
  } else {
    const started = await replay(context, request);
    [ref, batchId] = [started.runId, started.batchId];
    context.output.log(`Run ${ref} plays ${started.replies} recorded replies on the ${started.backend} backend`);
  }
  const { report, detached } = await followBatch(context, batchId, { where: 'stderr', untilPaused: true });
  if (detached) {
    context.output.log(detachedAdvice(batchId));
    context.output.log(`  bench replay ${ref}   compare it with the recording`);
    context.setExitCode(130);
  } else if (report !== null && report.ended < report.runs) context.setExitCode(1);
  return { ref, detached };
}

async function printTable(context: CliContext, refs: readonly string[], options: ReplayOptions): Promise<void> {
  const table = await replayTable(context, { refs: [...refs], ...requestFields(tableFields, options) });
  context.output.json(table satisfies ReplayTable);
  context.output.print(renderReplayTable(table, context.output));
}

async function printRun(context: CliContext, runId: string, detached: boolean): Promise<void> {
  const report = await replayReport(context, runId);
  context.output.json(report satisfies ReplayReport);
  context.output.print(renderReplay(report, context.output));
  if (!detached && report.endReason !== null && UNSCORED_ENDS.includes(report.endReason)) context.setExitCode(1);
}

/** Whether it is a folder; null: there is nothing of this name. */
function isFolder(path: string): boolean | null {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? null : found.isDirectory();
}

async function playOrCompare(context: CliContext, targets: readonly string[], options: ReplayOptions): Promise<void> {
  const [target = ''] = targets;
  const folder = isFolder(target);
  if (options.task !== undefined) {
    if (targets.length > 1)
      throw new BenchError('usage', `--task takes one file or folder, and ${targets.length} are given`, {
        remedy: 'Put the recordings into a folder, or omit --task to compare runs that were played.',
      });
    const { ref, detached } = await play(context, target, folder === true, options.task, options);
    return folder === true ? printTable(context, [ref], options) : printRun(context, ref, detached);
  }
  if (!/^[rb]-/.test(target) && folder !== null)
    throw new BenchError('usage', `--task is missing: the task that ${target} records`, {
      remedy: '`bench tasks` lists them.',
    });
  const found = targets.length === 1 ? await findRunOrBatch(context, target) : null;
  return found?.kind === 'run' ? printRun(context, found.run.runId, false) : printTable(context, targets, options);
}

export function register(program: Command, context: CliContext): void {
  const command = program
    .command('replay')
    .summary('replay recorded runs and compare them')
    .description(
      'Run the recorded replies of a run again in a fresh sandbox, and report where observations differ, and why. Reads an MLGym `.traj` file or the output of `bench trajectory <run> --json`; a folder is replayed as one batch. Without --task, the id of a replayed run prints its report again; batches, or several runs, give one table of causes.',
    )
    .argument('<recording...>', 'a recording, a folder of them, or runs and batches that replayed some')
    .action((targets: string[], options: ReplayOptions) => playOrCompare(context, targets, options));
  for (const option of requestOptions(replayRequestSchema.shape, { without: ['file'] })) command.addOption(option);
  for (const option of requestOptions(tableFields)) command.addOption(option);
}
