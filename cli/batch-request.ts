import type { Command } from 'commander';
import { BenchError } from '../domain/errors.js';
import { batchOptionsSchema, type BatchRequestInput } from '../domain/requests/batch.js';
import { groupSchema } from '../domain/requests/run-options.js';
import { planAddition } from '../operations/batches/add-runs.js';
import type { BatchPlan } from '../operations/batches/batch-plan.js';
import { planBatch } from '../operations/batches/plan-batch.js';
import { readBatchFile } from '../operations/batches/read-batch-file.js';
import type { CliContext } from './context.js';
import { flagOf, requestFields, requestOptions } from './schema-flags.js';

export interface BatchFlags {
  file?: string;
  name?: string;
  into?: string;
}

const BESIDE_FILE = ['file', 'name', 'wait', 'dryRun', 'json'];
/** Fixed for an existing batch: --into cannot change these. */
const OF_THE_BATCH = ['name', 'seed', 'concurrency', 'priority', 'budget', 'breaker', 'file'];

const FIELDS = { ...groupSchema.shape, ...batchOptionsSchema.shape };

/** Texts about options of the command line alone. */
const TEXTS = {
  models: 'comma-separated models; see `bench models`',
  tasks: 'comma-separated tasks and suites, or `all`; see `bench tasks`',
  agent: 'agent configuration; see `bench agents`',
  profile:
    "play tasks under this profile of their task.yaml, where they have it; default: the task's own budget, or `cpu` with --sample",
};

export function addBatchOptions(command: Command): void {
  command.option('-f, --file <path>', 'read all options from a batch file; see docs/guides/running-batches.md');
  for (const option of requestOptions(FIELDS, { texts: TEXTS })) command.addOption(option);
  command.option('--into <batch>', 'add the runs to an existing batch, running or finished');
}

/** Throws BenchError (usage) for options that exclude each other. */
export function requestOf(command: Command, options: BatchFlags): BatchRequestInput {
  if (options.into !== undefined)
    refuseGiven(
      command,
      (name) => OF_THE_BATCH.includes(name),
      'cannot be combined with --into',
      'The batch has them already. `bench resume <batch> --budget` raises a budget.',
    );
  if (options.file !== undefined) {
    refuseGiven(
      command,
      (name) => !BESIDE_FILE.includes(name),
      'cannot be combined with --file',
      'Write it in the file.',
    );
    const file = readBatchFile(options.file);
    return { ...file, name: options.name ?? file.name };
  }
  const request = requestFields(FIELDS, command.opts()) as BatchRequestInput;
  const missing = request.models === undefined ? 'models' : request.tasks === undefined ? 'tasks' : null;
  if (missing !== null)
    throw new BenchError('usage', `${flagOf(missing)} is missing`, {
      remedy: 'Give --models and --tasks (see `bench models`, `bench tasks`), or a batch file with --file.',
    });
  return request;
}

/** Read-only. */
export function planOf(context: CliContext, command: Command, options: BatchFlags): Promise<BatchPlan> {
  const request = requestOf(command, options);
  return options.into === undefined ? planBatch(context, request) : planAddition(context, options.into, request);
}

function refuseGiven(command: Command, which: (name: string) => boolean, why: string, remedy: string): void {
  const given = command.options.filter(
    (option) => which(option.attributeName()) && command.getOptionValueSource(option.attributeName()) === 'cli',
  );
  if (given.length > 0)
    throw new BenchError('usage', `${given.map((option) => option.long ?? '').join(', ')} ${why}`, { remedy });
}
