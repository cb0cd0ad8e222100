import { extname } from 'node:path';
import { type Command, Option } from 'commander';
import type { Database } from '../../db/index.js';
import { BenchError } from '../../domain/errors.js';
import type { ReportData } from '../../report/index.js';
import {
  addComparisonOptions,
  type ComparisonFlags,
  comparisonOf,
  FIXED_BY_COMPARISON,
} from '../comparison-options.js';
import type { CliContext } from '../context.js';
import { wholeNumber } from '../options.js';
import { oneLine, plural } from '../render/format.js';
import { harnessVersion } from '../../operations/batches/store-batch.js';
import { writeWhole } from '../../operations/write-whole.js';
import type { LeaderboardOptions } from '../../domain/views/leaderboard.js';

const FORMATS = ['html', 'md', 'csv'] as const;
type Format = (typeof FORMATS)[number];

interface ReportFlags extends ComparisonFlags {
  output?: string;
  format?: Format;
  intervals: boolean;
  over: ReportData['over'];
  resamples: number;
  seed: number;
}

export function register(program: Command, context: CliContext): void {
  const command = program
    .command('report')
    .argument('[what]', 'a batch, or the name of a saved comparison; default: all runs')
    .summary('a leaderboard with charts and the runs behind it, as one file')
    .description(
      'Write a report: leaderboard, profiles, AUP, costs, tasks, ends, steps, and the runs behind each number, as one HTML file that needs no network; as Markdown or CSV too. A file that is there already is replaced.',
    )
    .option('-o, --output <file>', '- means stdout; default: bench-report[-<what>].<format> in this folder')
    .addOption(new Option('--format <format>', 'default: by the name of the file, else html').choices([...FORMATS]));
  addComparisonOptions(command)
    .option('--no-intervals', 'no intervals, and no probability of the largest AUP')
    .addOption(
      new Option('--over <what>', 'the intervals shown: were there other tasks, or other attempts at these')
        .choices(['tasks', 'attempts'])
        .default('tasks'),
    )
    .option('--resamples <n>', 'draws for the intervals', wholeNumber(100, 100_000), 1000)
    .option('--seed <n>', 'of these draws', wholeNumber(0, 2 ** 31 - 1), 1)
    .action(async (what: string | undefined, flags: ReportFlags) => {
      const { output, settings } = context;
      const format = flags.format ?? formatOf(flags.output);
      const toStdout = flags.output === '-';
      if (toStdout && output.jsonMode)
        throw new BenchError('usage', '--json and --output - both want stdout', {
          remedy: 'Write the report to a file, or leave out --json.',
        });
      const db = await context.database();
      const given = [...FIXED_BY_COMPARISON, 'metric'].filter((name) => command.getOptionValueSource(name) === 'cli');
      const subject = await subjectOf(what, given, db);
      const compared = await comparisonOf(flags, settings.configsDir, db);
      const board = await db.queries.leaderboard({
        ...('comparison' in subject.options
          ? { ...subject.options, ...(given.includes('metric') ? { metric: flags.metric } : {}) }
          : { ...compared, ...subject.options }),
        resamples: flags.intervals ? flags.resamples : 0,
        seed: flags.seed,
      });
      if (board.rows.length === 0)
        throw new BenchError('not_found', 'there are no runs to report on', {
          remedy: '`bench runs` lists those that there are; `bench demo` makes some.',
        });
      const { runs, actions } = await db.queries.reportRuns(board);
      // The library of charts takes its time to load: no other command waits for it.
      const { writeReport } = await import('../../report/index.js');
      const text = writeReport[format]({
        subject: subject.title,
        generatedAt: new Date().toISOString(),
        harnessVersion: harnessVersion(settings.assetsRoot),
        over: flags.over,
        ...{ board, runs, actions },
      });
      if (toStdout) return output.data(text);
      const file = await writeWhole(flags.output ?? `bench-report${subject.suffix}.${format}`, text);
      output.json({ file, format, bytes: Buffer.byteLength(text), rows: board.rows.length, runs: runs.length });
      output.print(`Wrote ${file} (${plural(board.rows.length, 'model')}, ${plural(runs.length, 'run')}).`);
    });
}

const formatOf = (file: string | undefined): Format => {
  const ending = extname(file ?? '').slice(1);
  return FORMATS.find((format) => format === ending) ?? 'html';
};

interface Subject {
  title: string;
  suffix: string;
  options: Pick<LeaderboardOptions, 'batchId'> | { comparison: string };
}

/** What is meant: a comparison's name goes before a batch's. */
async function subjectOf(what: string | undefined, given: readonly string[], db: Database): Promise<Subject> {
  if (what === undefined) return { title: 'All runs', suffix: '', options: {} };
  const suffix = `-${what.replace(/[^\w.-]+/g, '_').slice(0, 80)}`;
  const saved = (await db.comparisons.list()).some(({ name }) => name === what);
  if (saved) {
    const fixed = given.filter((name) => name !== 'metric');
    if (fixed.length > 0)
      throw new BenchError('usage', `the comparison ${what} fixes what is compared: leave out ${fixed.join(', ')}`, {
        remedy: 'Of these options only --metric may stand beside it.',
      });
    return { title: `Comparison ${what}`, suffix, options: { comparison: what } };
  }
  if (given.includes('batch'))
    throw new BenchError('usage', `both ${oneLine(what, 80)} and --batch name what to report on`, {
      remedy: 'Leave one of them out.',
    });
  const { batchId, name } = await db.queries.findBatch(what);
  return { title: `Batch ${name ?? batchId}`, suffix, options: { batchId } };
}
