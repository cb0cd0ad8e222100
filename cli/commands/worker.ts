import type { Command } from 'commander';
import { BenchError } from '../../domain/errors.js';
import { workerRequestSchema } from '../../domain/requests/worker.js';
import type { WorkerDocument } from '../../domain/views/home.js';
import { startWorker } from '../../operations/home/start-worker.js';
import type { CliContext } from '../context.js';
import { addExamples } from '../examples.js';
import { requestFields, requestOptions } from '../schema-flags.js';

export function register(commands: Command, context: CliContext): void {
  const command = commands
    .command('worker')
    .summary('run a worker in the foreground')
    .description(
      'Run a worker in the foreground until Ctrl-C, for example on another machine with DATABASE_URL and TEMPORAL_ADDRESS set. ' +
        'BENCH_WORKER=external turns off the embedded worker. SIGUSR2, and SIGTERM with --until, make it hand its runs to other workers and exit. Nothing restarts this worker: run it under a service manager such as systemd (docs/reference/deployment.md).',
    );
  for (const option of requestOptions(workerRequestSchema.shape)) command.addOption(option);
  command.action(async () => {
    const request = workerRequestSchema.parse(requestFields(workerRequestSchema.shape, command.opts()));
    const worker = await startWorker(context, request);
    // Ctrl-C in a terminal reaches the worker too; a signal to this process alone is passed on.
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGUSR2'] as const) process.on(signal, () => worker.kill(signal));
    const code = await worker.ended;
    context.output.json({ exitCode: code } satisfies WorkerDocument);
    if (code !== 0 && code < 128) {
      throw new BenchError(code === 2 ? 'usage' : 'failed', `the worker ended with exit code ${code}`, {
        remedy: 'Its last lines above show the reason.',
      });
    }
  });
  addExamples(command, [
    ['bench worker --slots 16 --gpus 0,1', '16 concurrent runs, two GPUs'],
    ['bench worker --until 2030-01-31T18:00:00Z', 'a machine that leaves at that time'],
    ['bench worker --roles models,workflows', 'no runs on this machine'],
  ]);
}
