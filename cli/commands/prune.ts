import { createInterface } from 'node:readline/promises';
import type { Command } from 'commander';
import type { CliContext } from '../context.js';
import { wholeNumber } from '../options.js';
import { planPrune, prune, type PrunePlan, type PruneRequest } from '../../operations/home/prune.js';
import { formatBytes } from '../../domain/format-bytes.js';
import { plural } from '../render/format.js';
import type { PruneDocument } from '../../domain/views/home.js';

interface PruneOptions {
  snapshots?: true;
  artifacts?: true;
  images?: true;
  keepDays: number;
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
  return [done ? 'Removed:' : 'Nothing needs any more:', ...lines.map((line) => `  ${line}`)].join('\n');
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
  program
    .command('prune')
    .summary('remove what nothing needs any more')
    .description(
      'Remove old snapshots of ended runs, artifacts that no row refers to, and old images; with none of these options, all three. ' +
        'Says what it would remove and asks; without a terminal it removes nothing unless told --yes.',
    )
    .option('--snapshots', 'snapshots of runs that have ended; forks of these then run their commands again')
    .option('--artifacts', 'files of the artifact store that no row of this database refers to')
    .option('--images', 'images of agents, evaluators and tasks that are not current and that no container uses')
    .option('--keep-days <n>', 'leave alone what is younger', wholeNumber(0, 10_000), 7)
    .option('--dry-run', 'only say what would be removed')
    .option('-y, --yes', 'do not ask')
    .action(async (options: PruneOptions) => {
      const { output } = context;
      const every = options.snapshots !== true && options.artifacts !== true && options.images !== true;
      const request: PruneRequest = {
        snapshots: every || options.snapshots === true,
        artifacts: every || options.artifacts === true,
        images: every || options.images === true,
        keepDays: options.keepDays,
      };
      const plan = await planPrune(context, request);
      const terminal = !output.jsonMode && process.stdin.isTTY && process.stderr.isTTY;
      const asks = options.dryRun !== true && options.yes !== true && terminal;
      if (asks) output.print(renderPlan(plan, false));
      const remove = options.dryRun !== true && (options.yes === true || (asks && (await agreed())));
      const done = remove ? await prune(context, request, plan) : plan;
      output.json({
        removed: remove,
        keepDays: options.keepDays,
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
