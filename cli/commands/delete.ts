import { createInterface } from 'node:readline/promises';
import type { Command } from 'commander';
import type { DeletionDocument } from '../../domain/views/deletion.js';
import { formatBytes, formatUsd, plural } from '../../domain/text/format.js';
import { deletePlanned, type DeletionPlan } from '../../operations/records/deletion/delete.js';
import type { CliContext } from '../context.js';

interface Flags {
  dryRun?: true;
  yes?: true;
}

const KEPT = 'Their costs stay in the table `deleted_runs`.';

function text(plan: Omit<DeletionPlan, 'of'>, files: DeletionDocument['files']): string {
  const { steps, modelCalls, evaluations, events, snapshots, costUsd } = plan;
  const hanging = [
    ...[plural(steps, 'step'), plural(modelCalls, 'model call'), plural(evaluations, 'evaluation')],
    ...[plural(events, 'event'), plural(snapshots, 'snapshot')],
  ];
  return [
    `${files === null ? 'To delete' : 'Deleted'}: ${plan.batchId === null ? '' : `batch ${plan.batchId}, `}${plural(plan.runs, 'run')}, which cost ${formatUsd(costUsd)}, with ${hanging.join(', ')}.`,
    ...(files === null
      ? []
      : [
          `${plural(files.removed, 'file')} of the artifact store (${formatBytes(files.bytes)}) removed, ${files.kept} kept: others need them, or they are younger than an hour (\`bench prune\`).`,
          KEPT,
        ]),
  ].join('\n');
}

/** Prints the plan, asks on a terminal, and deletes. */
async function deleteAsked(context: CliContext, plan: DeletionPlan, { dryRun, yes }: Flags): Promise<void> {
  const { output } = context;
  const terminal = !output.jsonMode && process.stdin.isTTY && process.stderr.isTTY;
  const asks = dryRun !== true && yes !== true && terminal;
  const { of, ...shown } = plan;
  if (asks) output.print(text(shown, null));
  const remove = dryRun !== true && (yes === true || (asks && (await agreed())));
  if (!remove) {
    output.json({ deleted: false, ...shown, files: null } satisfies DeletionDocument);
    if (!asks) output.print(text(shown, null));
    output.print(`Nothing was deleted.${asks || dryRun === true ? '' : ' `--yes` deletes it.'}`);
    return;
  }
  const done = await deletePlanned(context, { of, ...shown });
  output.json(done satisfies DeletionDocument);
  output.print(text(done, done.files));
}

async function agreed(): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await terminal.question('Delete them, for good? [y/N] ')).trim());
  } finally {
    terminal.close();
  }
}

export function registerDelete<Ref>(
  group: Command,
  context: CliContext,
  { argument, what, plan }: { argument: string; what: string; plan: (ref: Ref) => Promise<DeletionPlan> },
): Command {
  return group
    .command('delete')
    .summary(`delete ${what}, with all that hangs on it`)
    .description(
      `Delete ${what} with steps, calls, evaluations, events, snapshots, nodes of search trees, and stored files that nothing else needs. ` +
        `Refuses what has not ended, and runs that others fork or repeat. ${KEPT} ` +
        'Prints what would be deleted and asks first; without a terminal it deletes nothing unless --yes is given.',
    )
    .argument(argument, 'ids, or unambiguous parts of them')
    .option('--dry-run', 'only print what would be deleted')
    .option('-y, --yes', 'delete without asking')
    .action(async (ref: Ref, flags: Flags) => deleteAsked(context, await plan(ref), flags));
}
