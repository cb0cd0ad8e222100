import type { Command } from 'commander';
import { uiRequestSchema, uiTokenRequestSchema } from '../../domain/requests/ui.js';
import type { AddedUiToken, RemovedUiToken, UiDocument, UiTokensDocument } from '../../domain/views/ui.js';
import { addUiToken, listUiTokens, removeUiToken } from '../../operations/home/ui/tokens.js';
import type { CliContext } from '../context.js';
import { addExamples } from '../examples.js';
import { formatTime } from '../render/format.js';
import { renderTable } from '../render/table.js';
import { requestFields, requestOptions } from '../request-options.js';
import { servePage } from '../serve-page.js';
import { registerUiExport } from './ui-export.js';

async function serve(context: CliContext, options: Record<string, unknown>): Promise<void> {
  const { output } = context;
  const request = uiRequestSchema.parse(requestFields(uiRequestSchema.shape, options));
  const { untilInterrupted, ...page } = await servePage(context, request, options['open'] !== false);
  output.json(page satisfies UiDocument);
  output.print(page.reused ? `The page is served already (process ${page.pid}): ${page.url}` : `The page: ${page.url}`);
  if (page.reused) return;
  output.log('Ctrl-C ends it; batches go on.');
  // Connections and services are there when the first page asks.
  context.database().catch((error: unknown) => output.log(error instanceof Error ? error.message : String(error)));
  await untilInterrupted();
}

export function register(program: Command, context: CliContext): void {
  const ui = program
    .command('ui')
    .summary('serve a page with batches, runs and results')
    .description('A page with batches, runs and results.');
  const page = ui
    .command('serve', { isDefault: true })
    .summary('serve the page, until Ctrl-C')
    .description(
      'Serve a page with batches, runs and results, until Ctrl-C. Prints its address with a token, and opens it. ' +
        'What runs goes on without it; one that is served already is opened again.',
    );
  for (const option of requestOptions(uiRequestSchema.shape)) page.addOption(option);
  page
    .option('--no-open', 'print the address, open no browser')
    .action((options: Record<string, unknown>) => serve(context, options));
  addExamples(page, [
    ['bench ui', 'open the page in the browser of this machine'],
    ['bench ui --port 0 --no-open', 'take any free port, only print the address'],
  ]);

  registerUiExport(ui, context);

  const token = ui.command('token').summary('who may open the page').description('Tokens for the page.');
  const add = token
    .command('add')
    .summary('make a token')
    .description('Make a token. It is printed once: the home keeps only its hash.');
  for (const option of requestOptions(uiTokenRequestSchema.shape)) {
    if (option.attributeName() === 'name') option.makeOptionMandatory();
    add.addOption(option);
  }
  addExamples(add, [['bench ui token add --name ann --role viewer', 'let a colleague read']]);
  add.action((options: Record<string, unknown>) => {
    const added = addUiToken(
      context.settings,
      uiTokenRequestSchema.parse(requestFields(uiTokenRequestSchema.shape, options)),
    );
    context.output.json(added satisfies AddedUiToken);
    context.output.print(added.token);
    context.output.log(
      `${added.name}, ${added.role}; behind the page's address as \`/#token=…\`, or as a Bearer token`,
    );
  });
  token
    .command('list')
    .summary('list tokens')
    .description('List tokens that have not ended.')
    .action(() => {
      const tokens = listUiTokens(context.settings);
      context.output.json({ tokens } satisfies UiTokensDocument);
      context.output.print(
        renderTable(
          tokens,
          [
            { title: 'name', value: ({ name }) => name },
            { title: 'role', value: ({ role }) => role },
            { title: 'made', value: ({ createdAt }) => formatTime(createdAt) },
            { title: 'ends', value: ({ endsAt }) => (endsAt === null ? 'never' : formatTime(endsAt)) },
          ],
          context.output.colors,
        ),
      );
    });
  token
    .command('rm')
    .summary('remove a token')
    .description('Remove a token; a page that was opened with it is let in no more.')
    .argument('<name>', 'as `bench ui token list` shows it')
    .action((name: string) => {
      removeUiToken(context.settings, name);
      context.output.json({ removed: name } satisfies RemovedUiToken);
      context.output.print(`Removed ${name}`);
    });
}
