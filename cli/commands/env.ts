import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { type Command, Option } from 'commander';
import { BenchError } from '../../domain/errors.js';
import { checkedRequest } from '../../domain/requests/checked.js';
import { envServeSchema } from '../../domain/requests/env-serve.js';
import { environmentToken } from '../../operations/home/home-identity.js';
import type { ErrorDocument } from '../../domain/views/errors.js';
import type { CliContext } from '../context.js';
import { requestFields, requestOptions } from '../schema-flags.js';

const NO_TOKEN =
  'let every user and program of this machine play, with a warning: only on loopback, without --allow-local and without rollouts';

export function register(program: Command, context: CliContext): void {
  const env = program
    .command('env')
    .summary('serve tasks to trainers')
    .description('Environments for training agents.');
  const command = env
    .command('serve')
    .summary('serve episodes over HTTP, until Ctrl-C')
    .description(
      'Serve tasks to trainers as episodes, until Ctrl-C. An episode is a run whose actions come from the trainer: it survives a restart of this server. ' +
        'A front process listens on the port and restarts the server behind it after a crash, so clients keep their connections. ' +
        'Clients need its token: the printed `url` contains it; clients may also send it as `Authorization: Bearer <token>` or `X-API-Key`. It is BENCH_ENV_TOKEN, or a token that the home creates once. ' +
        'Prints one line of JSON when the server is ready.',
    );
  for (const option of requestOptions(envServeSchema.shape, { without: ['token'] })) command.addOption(option);
  command.addOption(new Option('--no-token', NO_TOKEN));
  command.action(async (options: Record<string, unknown>) => {
    const { settings } = context;
    const request = checkedRequest(envServeSchema, requestFields(envServeSchema.shape, options));
    const given = settings.env['BENCH_ENV_TOKEN'] ?? '';
    if (!request.token && given !== '')
      throw new BenchError('usage', '--no-token and BENCH_ENV_TOKEN exclude each other', {
        remedy: 'Unset BENCH_ENV_TOKEN, or omit --no-token.',
      });
    const token = request.token ? given || environmentToken(settings.layout) : '';
    const programs = join(settings.assetsRoot, 'dist', 'envs');
    const args = [join(programs, 'front-main.js'), join(programs, 'main.js'), JSON.stringify(request)];
    const child = spawn(process.execPath, args, {
      env: { ...settings.env, BENCH_HOME: settings.home, BENCH_ENV_TOKEN: token },
      stdio: ['ignore', 1, 2],
    });
    // Ctrl-C in a terminal reaches the server too; a signal to this process alone is passed on.
    let stopping = false;
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.on(signal, () => {
        stopping = true;
        child.kill(signal);
      });
    const { code, by } = await new Promise<{ code: number | null; by: NodeJS.Signals | null }>((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (status, signal) => resolve({ code: status, by: signal }));
    });
    if (code === 0 || stopping) return;
    context.setExitCode(code === 2 ? 2 : 1);
    const type = code === 2 ? 'usage' : 'failed';
    const error = {
      type,
      code: type,
      message: by === null ? `the server ended with exit code ${code}` : `the server was ended by ${by}`,
      remedy: by === null ? 'The reason is on stderr.' : 'Start it again: its episodes continue.',
    } as const;
    // The server itself has printed on stderr why it ended.
    if (by !== null) context.output.log(`${context.output.logColors.red('error:')} ${error.message}\n${error.remedy}`);
    context.output.json({ error } satisfies ErrorDocument);
  });
}
