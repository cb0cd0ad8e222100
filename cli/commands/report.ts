import { existsSync } from 'node:fs';
import { dirname, extname, join, relative, resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { BenchError } from '../../domain/errors.js';
import { reportRequestSchema } from '../../domain/requests/leaderboard.js';
import type { ReportData } from '../../report/index.js';
import { report } from '../../operations/results/report.js';
import { addComparisonOptions, comparisonRequest } from '../comparison-options.js';
import type { CliContext } from '../context.js';
import { addExamples } from '../examples.js';
import { wholeNumber } from '../options.js';
import { requestOptions } from '../request-options.js';
import { plural } from '../render/format.js';
import { logPageLink } from '../serve-page.js';
import { checkWritable, writeWhole } from '../../operations/write-whole.js';
import type { ReportDocument } from '../../domain/views/report.js';

const FORMATS = ['html', 'md', 'csv'] as const;
type Format = (typeof FORMATS)[number];

interface ReportFlags {
  output?: string;
  format?: Format;
  exported?: string;
  intervals: boolean;
  over: ReportData['over'];
  resamples: number;
  seed: number;
}

export function register(program: Command, context: CliContext): void {
  const command = program
    .command('report')
    .argument('[what]', 'a batch or a saved comparison; default: all runs')
    .summary('write a leaderboard with charts and runs to one file')
    .description(
      'Write a report: leaderboard, profiles, AUP, costs, tasks, end reasons, steps, and the runs behind each number. One self-contained HTML file, or Markdown or CSV. An existing file is replaced.',
    )
    .option(
      '-o, --output <file>',
      'file to write, - for stdout; default: bench-report[-<what>].<format> in this folder',
    )
    .addOption(
      new Option('--format <format>', 'format of the report; default: by the file name, else html').choices([
        ...FORMATS,
      ]),
    );
  command.option('--exported <folder>', 'link runs to a page that `bench page export` wrote there; HTML only');
  addComparisonOptions(command).option('--no-intervals', 'omit intervals and P(best)');
  const { over, resamples, seed } = reportRequestSchema.shape;
  for (const option of requestOptions({ over, resamples, seed }, { parsers: { resamples: wholeNumber(100, 100_000) } }))
    command.addOption(option);
  command.action(async (what: string | undefined, flags: ReportFlags) => {
    const { output } = context;
    const format = flags.format ?? formatOf(flags.output);
    const toStdout = flags.output === '-';
    if (toStdout && output.jsonMode)
      throw new BenchError('usage', '--json and --output - both write to stdout', {
        remedy: 'Write the report to a file, or drop --json.',
      });
    const file = flags.output ?? `bench-report${suffixOf(what)}.${format}`;
    if (!toStdout) await checkWritable(file);
    const data = await report(context, {
      ...comparisonRequest(command),
      ...{ what, over: flags.over, resamples: flags.intervals ? flags.resamples : 0, seed: flags.seed },
    });
    const { board, runs } = data;
    // The library of charts takes its time to load: no other command waits for it.
    const { writeReport } = await import('../../report/index.js');
    const text = writeReport[format]({ ...data, page: pageOf(flags.exported, toStdout ? '.' : file) });
    if (toStdout) return output.data(text);
    const written = await writeWhole(file, text);
    output.json({
      file: written,
      format,
      bytes: Buffer.byteLength(text),
      rows: board.rows.length,
      runs: runs.length,
    } satisfies ReportDocument);
    const { batchId, saved } = board.comparison;
    const shown =
      saved === null ? (batchId === null ? '' : `?batch=${batchId}`) : `?comparison=${encodeURIComponent(saved.name)}`;
    output.print(`Wrote ${written} (${plural(board.rows.length, 'model')}, ${plural(runs.length, 'run')}).`);
    await logPageLink(context, `/leaderboard${shown}`);
  });
  addExamples(command, [
    ['bench report', 'all runs, as bench-report.html'],
    ['bench report spring -o spring.md', 'one batch, as Markdown'],
  ]);
}

/** The address of an exported page, as the report in `file` says it. */
function pageOf(folder: string | undefined, file: string): string | undefined {
  if (folder === undefined) return undefined;
  const page = join(resolve(folder), 'index.html');
  if (!existsSync(page))
    throw new BenchError('usage', `there is no page in ${folder}`, {
      code: 'file.not_found',
      remedy: 'Write one first: `bench page export`.',
    });
  return relative(dirname(resolve(file)), page)
    .split(/[\\/]/)
    .map(encodeURIComponent)
    .join('/');
}

const formatOf = (file: string | undefined): Format => {
  const ending = extname(file ?? '').slice(1);
  return FORMATS.find((format) => format === ending) ?? 'html';
};

/** Part of the name of the file, if none is given. */
const suffixOf = (what: string | undefined): string =>
  what === undefined ? '' : `-${what.replace(/[^\w.-]+/g, '_').slice(0, 80)}`;
