import type { Command } from 'commander';
import { uiExportRequestSchema } from '../../domain/requests/ui.js';
import type { UiExportDocument } from '../../domain/views/ui.js';
import type { CliContext } from '../context.js';
import { addExamples } from '../examples.js';
import { formatBytes } from '../../domain/format-bytes.js';
import { plural } from '../render/format.js';
import { requestFields, requestOptions } from '../request-options.js';

const TOLD_EVERY_MS = 5_000;

/** `bench ui export`. */
export function registerUiExport(ui: Command, context: CliContext): void {
  const { shape } = uiExportRequestSchema;
  const command = ui
    .command('export')
    .argument('[what...]', 'batches, runs, or one saved comparison')
    .summary('write the page to files that need no server')
    .description(
      'Write the page with these batches and runs to a folder, or to one file, that opens from disk: the same pages and addresses, without ' +
        'live updates, actions, search, SQL, and prompts of single steps. The same rows make the same bytes. A folder of an earlier export is replaced. ' +
        'What looks like a key stops it.',
    );
  for (const option of requestOptions(shape, { without: ['what', 'observations', 'files'] })) {
    if (option.attributeName() === 'output') option.short = '-o';
    command.addOption(option);
  }
  command
    .option('--no-observations', 'leave out what commands printed')
    .option('--no-files', 'leave out submitted files');
  addExamples(command, [
    ['bench ui export spring -o spring', 'one batch; open spring/index.html'],
    ['bench ui export rwpw083w --single run.html', 'one run as one file, for a mail'],
    ['bench ui export --all -o site --redact patterns.txt', 'everything, without what the patterns fit'],
  ]);
  command.action(async (what: string[], options: Record<string, unknown>) => {
    const { output } = context;
    const request = uiExportRequestSchema.parse({
      ...requestFields(shape, options),
      ...{ what, observations: options['observations'] !== false, files: options['files'] !== false },
    });
    const { exportPage } = await import('../../web/server/export/export-page.js');
    context.looksOnly();
    let told = Date.now();
    const written = await exportPage(context, request, (done, of) => {
      if (Date.now() - told < TOLD_EVERY_MS) return;
      told = Date.now();
      output.log(`${done} of ${of} runs`);
    });
    output.json(written satisfies UiExportDocument);
    output.print(`Wrote ${written.path} (${plural(written.runs, 'run')}, ${formatBytes(written.bytes)}).`);
  });
}
