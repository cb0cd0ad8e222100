import type { Command } from 'commander';
import { BenchError } from '../../domain/errors.js';
import { type PageServerRequest, pageServerRequestSchema } from '../../domain/requests/page.js';
import type { PageServerDocument } from '../../domain/views/page.js';
import { answeringPage, type RunningPage } from '../../operations/home/page/running.js';
import type { CliContext } from '../context.js';
import { addExamples } from '../examples.js';
import { flagOf, requestFields, requestOptions } from '../schema-flags.js';
import { servePage } from '../serve-page.js';

/** What a page that is served already has as it is. */
const FIXED = ['port', 'host', 'tlsCert', 'tlsKey', 'behindProxy'] as const;

/** BenchError (conflict): the running page is served otherwise than wanted. */
function refuseOtherPage(page: RunningPage, request: PageServerRequest, command: Command): void {
  const { port, hostname } = new URL(page.address);
  const has: Record<string, unknown> = { port: Number(port), host: hostname };
  const wanted = FIXED.filter(
    (name) => command.getOptionValueSource(name) === 'cli' && request[name] !== has[name] && request[name] !== 0,
  );
  if (wanted.length === 0) return;
  throw new BenchError('conflict', `the page is already served at ${page.address} (process ${page.pid})`, {
    remedy: `Stop that server first, or run \`bench serve\` without ${wanted.map(flagOf).join(' and ')}.`,
  });
}

async function serve(context: CliContext, command: Command): Promise<void> {
  const { output } = context;
  const options = command.opts();
  const request = pageServerRequestSchema.parse(requestFields(pageServerRequestSchema.shape, options));
  const running = await answeringPage(context.settings);
  if (running !== null) refuseOtherPage(running, request, command);
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
  command.option('--no-open', 'only print the address; open no browser').action(() => serve(context, command));
  addExamples(command, [
    ['bench serve', 'open the page in the browser of this machine'],
    ['bench serve --port 0 --no-open', 'listen on any free port, only print the address'],
  ]);
}
