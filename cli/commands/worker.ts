import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import type { Command } from 'commander';
import { BenchError } from '../../domain/errors.js';
import type { CliContext } from '../context.js';
import { commaList, wholeNumber } from '../options.js';

interface WorkerOptions {
  host?: string;
  gpus?: string[];
  slots?: number;
}

export function register(commands: Command, context: CliContext): void {
  commands
    .command('worker')
    .summary('run a worker in the foreground')
    .description(
      'Run a worker in the foreground until Ctrl-C, e.g. on another machine with DATABASE_URL and TEMPORAL_ADDRESS set. Set BENCH_WORKER=external where the embedded one is not wanted.',
    )
    .option('--host <name>', 'stable name of this machine; default: made once per home')
    .option('--gpus <ids>', 'GPUs that runs may lease, by commas, e.g. 0,1', commaList)
    .option('--slots <n>', 'activities at the same time', wholeNumber(1, 10_000))
    .action(async (options: WorkerOptions) => {
      const { settings } = context;
      const endpoints = await context.servicesWithoutWorker();
      const env = {
        ...settings.env,
        BENCH_HOME: settings.home,
        DATABASE_URL: endpoints.databaseUrl,
        TEMPORAL_ADDRESS: endpoints.temporalAddress,
        TEMPORAL_NAMESPACE: endpoints.temporalNamespace,
        ...(options.host === undefined ? {} : { BENCH_HOST: options.host }),
        ...(options.gpus === undefined ? {} : { BENCH_GPUS: options.gpus.join(',') }),
        ...(options.slots === undefined ? {} : { BENCH_SLOTS: String(options.slots) }),
      };
      const [program = process.execPath, ...args] = settings.workerCommand;
      const child = spawn(program, args, { env, stdio: ['ignore', 2, 2] });
      // A terminal's Ctrl-C reaches the worker too; one that is sent to us alone is passed on.
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
      const code = await new Promise<number>((resolve, reject) => {
        child.once('error', reject);
        child.once('exit', (status, signal) =>
          resolve(status ?? 128 + (signal === null ? 0 : constants.signals[signal])),
        );
      });
      context.output.json({ exitCode: code });
      if (code !== 0 && code < 128) {
        throw new BenchError(code === 2 ? 'usage' : 'failed', `the worker ended with exit code ${code}`, {
          remedy: 'Its last lines above say why.',
        });
      }
    });
}
