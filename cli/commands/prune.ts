import { createInterface } from 'node:readline/promises';
import type { Command } from 'commander';
import type { CliContext } from '../context.js';
import { pruneRequest, pruneRequestSchema } from '../../domain/requests/prune.js';
import { planPrune, prune, type PrunePlan } from '../../operations/home/prune.js';
import { formatBytes, plural } from '../../domain/text/format.js';
import { requestFields, requestOptions } from '../schema-flags.js';
import type { PruneDocument } from '../../domain/views/home.js';

interface PruneOptions {
  dryRun?: true;
  yes?: true;
}

function renderPlan({ snapshots, artifacts, images }: PrunePlan, done: boolean): string {
  const sum = (sizes: readonly { bytes: number }[]) =>
    formatBytes(sizes.reduce((total, { bytes }) => total + bytes, 0));
  const lines = [
    ...(snapshots === null ? [] : [`${plural(snapshots, 'snapshot')} of runs that have ended`]),
    ...(artifacts === null ? [] : [`${plural(artifacts.length, 'artifact')} that no row refers to, ${sum(artifacts)}`]),
    ...(images === null
      ? []
      : [`${plural(images.length, 'image')}, ${sum(images)} (layers that they share counted more than once)`]),
  ];
  return [done ? 'Removed:' : 'No longer needed:', ...lines.map((line) => `  ${line}`)].join('\n');
}

async function agreed(): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await terminal.question('Remove them? [y/N] ')).trim());
  } finally {
    terminal.close();
  }
}

export function register(program: Command, context: CliContext): void {
  const command = program
    .command('prune')
    .summary('remove snapshots, artifacts and images that are no longer needed')
    .description(
      'Remove old snapshots of ended runs, unreferenced artifacts and old images; without options, all three. ' +
        'Prints what would be removed and asks first; without a terminal it removes nothing unless --yes is given.',
    );
  for (const option of requestOptions(pruneRequestSchema.shape)) command.addOption(option);
  command
    .option('--dry-run', 'only print what would be removed')
    .option('-y, --yes', 'remove without asking')
    .action(async (options: PruneOptions) => {
      const { output } = context;
      const request = pruneRequest(requestFields(pruneRequestSchema.shape, command.opts()));
      const plan = await planPrune(context, request);
      const terminal = !output.jsonMode && process.stdin.isTTY && process.stderr.isTTY;
      const asks = options.dryRun !== true && options.yes !== true && terminal;
      if (asks) output.print(renderPlan(plan, false));
      const remove = options.dryRun !== true && (options.yes === true || (asks && (await agreed())));
      const done = remove ? await prune(context, request, plan) : plan;
      output.json({
        removed: remove,
        keepDays: request.keepDays,
        snapshots: done.snapshots,
        artifacts: done.artifacts && { files: done.artifacts.length, bytes: total(done.artifacts) },
        images: done.images?.map(({ backend, refs, id, bytes }) => ({ backend, ref: refs[0] ?? id, bytes })) ?? null,
      } satisfies PruneDocument);
      if (remove || !asks) output.print(renderPlan(done, remove));
      if (!remove)
        output.print('Nothing was removed.' + (asks || options.dryRun === true ? '' : ' `--yes` removes it.'));
    });
}

const total = (sizes: readonly { bytes: number }[]): number => sizes.reduce((sum, { bytes }) => sum + bytes, 0);
