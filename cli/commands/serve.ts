import type { Command } from 'commander';
import { pageServerRequestSchema } from '../../domain/requests/page.js';
import type { PageServerDocument } from '../../domain/views/page.js';
import type { CliContext } from '../context.js';
import { addExamples } from '../examples.js';
import { requestFields, requestOptions } from '../schema-flags.js';
import { servePage } from '../serve-page.js';

async function serve(context: CliContext, options: Record<string, unknown>): Promise<void> {
  const { output } = context;
  const request = pageServerRequestSchema.parse(requestFields(pageServerRequestSchema.shape, options));
  const { untilInterrupted, ...page } = await servePage(context, request, options['open'] !== false);
  output.json(page satisfies PageServerDocument);
  output.print(page.reused ? `The page is already served (process ${page.pid}): ${page.url}` : `The page: ${page.url}`);
  if (page.reused) return;
  output.log('Ctrl-C stops the server; batches continue.');
  // Connections and services are ready when the first page asks.
  context.databaseUrl().catch((error: unknown) => output.log(error instanceof Error ? error.message : String(error)));
  await untilInterrupted();
}

export function register(program: Command, context: CliContext): void {
  const command = program
    .command('serve')
    .summary('serve the page: batches, runs and results in a browser')
    .description(
      'Serve the page with batches, runs and results until Ctrl-C. Prints its address with a token, and opens it in a browser. ' +
        'Batches continue without the server. If the page is already served, the command opens that one.',
    );
  for (const option of requestOptions(pageServerRequestSchema.shape)) command.addOption(option);
  command
    .option('--no-open', 'only print the address; open no browser')
    .action((options: Record<string, unknown>) => serve(context, options));
  addExamples(command, [
    ['bench serve', 'open the page in the browser of this machine'],
    ['bench serve --port 0 --no-open', 'listen on any free port, only print the address'],
  ]);
}
