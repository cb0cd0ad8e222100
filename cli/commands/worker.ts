import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import type { Command } from 'commander';
import { BenchError } from '../../domain/errors.js';
import { withoutTemporalAccess } from '../../domain/temporal-access.js';
import { gpuSetting } from '../../domain/gpus.js';
import { checkGpus } from '../../operations/home/check-gpus.js';
import type { CliContext } from '../context.js';
import { commaList, wholeNumber } from '../options.js';
import type { WorkerDocument } from '../../domain/views/home.js';

interface WorkerOptions {
  host?: string;
  gpus?: string;
  slots?: number;
  evaluations?: number;
  memoryMb?: number;
  roles?: string[];
  metrics?: string;
}

/** Checked here, before any service is started. */
function gpus(text: string): string {
  gpuSetting(text);
  return text;
}

export function register(commands: Command, context: CliContext): void {
  commands
    .command('worker')
    .summary('run a worker in the foreground')
    .description(
      'Run a worker in the foreground until Ctrl-C, e.g. on another machine with DATABASE_URL and TEMPORAL_ADDRESS set. Set BENCH_WORKER=external where the embedded one is not wanted. ' +
        'Nothing here starts it again when it ends: run it under a service manager, such as systemd (docs/reference/deployment.md).',
    )
    .option('--host <name>', 'stable name of this machine; default: made once per home')
    .option(
      '--gpus <ids>',
      'GPUs that runs may lease: 0,1 or auto (all that nvidia-smi lists; the default) or none',
      gpus,
    )
    .option('--slots <n>', 'runs at the same time; default: 64', wholeNumber(1, 10_000))
    .option('--evaluations <n>', 'evaluations at the same time; default: as many as CPUs', wholeNumber(1, 10_000))
    .option(
      '--memory-mb <n>',
      "most that the runs' memory limits may come to together; default: not counted",
      wholeNumber(1),
    )
    .option('--roles <roles>', 'what it does: workflows, models, host, by commas; default: all', commaList)
    .option('--metrics <[host:]port>', 'show figures for Prometheus at /metrics there; without a host on 127.0.0.1')
    .action(async (options: WorkerOptions) => {
      const { settings } = context;
      await checkGpus(gpuSetting(options.gpus ?? settings.env['BENCH_GPUS']));
      const endpoints = await context.servicesWithoutWorker();
      const env = {
        ...(endpoints.embedded.temporal
          ? { ...withoutTemporalAccess(settings.env), ...endpoints.temporalVariables }
          : settings.env),
        BENCH_HOME: settings.home,
        DATABASE_URL: endpoints.databaseUrl,
        TEMPORAL_ADDRESS: endpoints.temporalAddress,
        TEMPORAL_NAMESPACE: endpoints.temporalNamespace,
        ...(options.host === undefined ? {} : { BENCH_HOST: options.host }),
        ...(options.gpus === undefined ? {} : { BENCH_GPUS: options.gpus }),
        ...(options.metrics === undefined ? {} : { BENCH_METRICS: options.metrics }),
        ...(options.slots === undefined ? {} : { BENCH_SLOTS: String(options.slots) }),
        ...(options.evaluations === undefined ? {} : { BENCH_EVALUATIONS: String(options.evaluations) }),
        ...(options.memoryMb === undefined ? {} : { BENCH_MEMORY_MB: String(options.memoryMb) }),
        ...(options.roles === undefined ? {} : { BENCH_ROLES: options.roles.join(',') }),
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
      context.output.json({ exitCode: code } satisfies WorkerDocument);
      if (code !== 0 && code < 128) {
        throw new BenchError(code === 2 ? 'usage' : 'failed', `the worker ended with exit code ${code}`, {
          remedy: 'Its last lines above say why.',
        });
      }
    });
}
