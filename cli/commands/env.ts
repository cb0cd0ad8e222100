import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { BenchError } from '../../domain/errors.js';
import { envServeSchema } from '../../domain/requests/env-serve.js';
import type { CliContext } from '../context.js';
import { requestFields, requestOptions } from '../request-options.js';

export function register(program: Command, context: CliContext): void {
  const env = program
    .command('env')
    .summary('serve tasks to trainers')
    .description('Environments for training agents.');
  const command = env
    .command('serve')
    .summary('serve episodes over HTTP, until Ctrl-C')
    .description(
      'Serve tasks to trainers as episodes, until Ctrl-C. An episode is a run whose actions come from the trainer: it survives this server, which may be stopped and started again. ' +
        'With BENCH_ENV_TOKEN set, clients send it as `Authorization: Bearer <token>`. Prints one line of JSON when it listens.',
    );
  for (const option of requestOptions(envServeSchema.shape)) command.addOption(option);
  command.action(async (options: Record<string, unknown>) => {
    const { settings } = context;
    const request = envServeSchema.parse(requestFields(envServeSchema.shape, options));
    const main = join(settings.assetsRoot, 'dist', 'envs', 'main.js');
    const child = spawn(process.execPath, [main, JSON.stringify(request)], {
      env: { ...settings.env, BENCH_HOME: settings.home },
      stdio: ['ignore', 1, 2],
    });
    // A terminal's Ctrl-C reaches the server too; one that is sent to us alone is passed on.
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
    const code = await new Promise<number>((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (status, signal) =>
        resolve(status ?? 128 + (signal === null ? 0 : constants.signals[signal])),
      );
    });
    if (code !== 0 && code < 128)
      throw new BenchError(code === 2 ? 'usage' : 'failed', `the server ended with exit code ${code}`, {
        remedy: 'Its last lines above say why.',
      });
  });
}
