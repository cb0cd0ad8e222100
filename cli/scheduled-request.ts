import { Command } from 'commander';
import { BenchError } from '../domain/errors.js';
import type { BatchRequestInput } from '../domain/requests/batch.js';
import { addBatchOptions, type BatchFlags, requestOf } from './batch-request.js';
import type { CliContext } from './context.js';
import { hintAtHelp, refuseExcess } from './usage-errors.js';

/** `submit --models …`, read as `bench submit` reads it. Throws its errors of usage. */
export function scheduledRequest({ output }: Pick<CliContext, 'output'>, words: readonly string[]): BatchRequestInput {
  if (words[0] !== 'submit')
    throw new BenchError('usage', 'the command to schedule is missing: only `submit` is scheduled', {
      remedy: 'Write it after --, as in: bench schedule create nightly --cron "0 2 * * *" -- submit --models …',
    });
  const parent = new Command('bench').configureOutput({ writeErr: (text) => output.drawLog(text) });
  const submit = parent.command('submit').allowExcessArguments();
  addBatchOptions(submit);
  hintAtHelp(submit);
  submit.action(() => refuseExcess(submit));
  parent.parse([...words], { from: 'user' });
  const flags = submit.opts<BatchFlags>();
  if (flags.into !== undefined)
    throw new BenchError('usage', 'a scheduled batch is one of its own', { remedy: 'Leave --into out.' });
  return requestOf(submit, flags);
}
