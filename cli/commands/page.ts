import type { Command } from 'commander';
import { pageExportRequestSchema } from '../../domain/requests/page.js';
import type { PageExportDocument } from '../../domain/views/page.js';
import type { CliContext } from '../context.js';
import { addExamples } from '../examples.js';
import { formatBytes, plural } from '../../domain/text/format.js';
import { requestFields, requestOptions } from '../schema-flags.js';

const PROGRESS_EVERY_MS = 5_000;

export function register(program: Command, context: CliContext): void {
  const { shape } = pageExportRequestSchema;
  const page = program
    .command('page')
    .summary('export the page to files')
    .description('Export the page to files. `bench serve` serves it.');
  const command = page
    .command('export')
    .argument('[what...]', 'batches, runs, or one saved comparison')
    .summary('write the page to files that need no server')
    .description(
      'Write the page with these batches and runs to a folder, or to one file, that opens from disk. Pages and addresses are those of `bench serve`, without ' +
        'live updates, actions, search, SQL, and prompts of single steps. The same rows give the same bytes. A folder of an earlier export is replaced. ' +
        'The export fails if a text looks like a key.',
    );
  for (const option of requestOptions(shape, { without: ['what', 'observations', 'files'] })) {
    if (option.attributeName() === 'output') option.short = '-o';
    command.addOption(option);
  }
  command.option('--no-observations', 'omit the output of commands').option('--no-files', 'omit submitted files');
  addExamples(command, [
    ['bench page export spring -o spring', 'one batch; open spring/index.html'],
    ['bench page export rwpw083w --single run.html', 'one run as one file, for a mail'],
    ['bench page export --all -o site --redact patterns.txt', 'everything, with matches of the patterns replaced'],
  ]);
  command.action(async (what: string[], options: Record<string, unknown>) => {
    const { output } = context;
    const request = pageExportRequestSchema.parse({
      ...requestFields(shape, options),
      ...{ what, observations: options['observations'] !== false, files: options['files'] !== false },
    });
    const { exportPage } = await import('../../web/server/export/export-page.js');
    context.looksOnly();
    let logged = Date.now();
    const written = await exportPage(context, request, (done, of) => {
      if (Date.now() - logged < PROGRESS_EVERY_MS) return;
      logged = Date.now();
      output.log(`${done} of ${of} runs`);
    });
    output.json(written satisfies PageExportDocument);
    output.print(`Wrote ${written.path} (${plural(written.runs, 'run')}, ${formatBytes(written.bytes)}).`);
  });
}
