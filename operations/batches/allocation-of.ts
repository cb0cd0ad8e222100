import { BenchError } from '../../domain/errors.js';
import { MAX_RUNS } from '../../domain/run/limits.js';
import { FIRST_ATTEMPTS, ORDER_RULES } from '../../domain/statistics/settle-order.js';
import type { Allocation } from '../../domain/views/allocation.js';
import type { LoadedGroup } from './batch-plan.js';

const refused = (message: string, remedy: string): BenchError =>
  new BenchError('usage', message, { code: 'attempts.auto_unsupported', remedy, fields: { attempts: true } });

/**
 * How attempts are given out with `attempts: auto`, as it is stated before anything is played;
 * null: they are fixed. Throws BenchError (usage).
 */
export function allocationOf(groups: readonly LoadedGroup[]): Allocation | null {
  if (!groups.some(({ attempts }) => attempts === 'auto')) return null;
  const [group, ...others] = groups;
  if (group === undefined || others.length > 0)
    throw refused(
      '`attempts: auto` compares models under equal options, so the batch has one group',
      'Give numbers of attempts, or submit the groups as batches.',
    );
  const { modelRefs, taskFolders } = group;
  if (modelRefs.length < 2)
    throw refused('`attempts: auto` orders models, and there is only one', 'Name two models, or a number of attempts.');
  if (!taskFolders.some(({ spec }) => spec.target !== undefined))
    throw refused(
      '`attempts: auto` orders models by gain, and none of these tasks has a target',
      'Add `target` to a task.yaml, or give a number of attempts.',
    );
  const { confidence, maxAttempts } = ORDER_RULES;
  const most = modelRefs.length * taskFolders.length * maxAttempts;
  if (most > MAX_RUNS)
    throw refused(`these may become ${most} runs; a batch takes at most ${MAX_RUNS}`, 'Submit several batches.');
  return {
    ...{ confidence, maxAttempts, looks: 0, pairs: 0, settled: 0, state: 'playing' },
    detail:
      `${FIRST_ATTEMPTS} attempts of each model at each task first; then more where the order by gain is least certain, until it is settled ` +
      `at ${100 * confidence} %, or ${maxAttempts} attempts are not enough: at most ${most} runs`,
  };
}

/** Added runs do not change how a batch allocates attempts. */
export function refuseAllocation(groups: readonly LoadedGroup[]): void {
  if (groups.some(({ attempts }) => attempts === 'auto'))
    throw refused('`attempts: auto` is for a new batch, not for added runs', 'Give a number of attempts.');
}
