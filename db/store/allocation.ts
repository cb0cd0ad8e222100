import { eq } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import type pg from 'pg';
import { newRunId } from '../../domain/ids.js';
import type { BatchLifecycle } from '../../domain/ports/record/batch-lifecycle.js';
import { plannedLooks, settleOrder } from '../../domain/statistics/settle-order.js';
import type { Allocation } from '../../domain/views/allocation.js';
import { storeError } from '../database-error.js';
import { batches } from '../schema/batches.js';
import { groupBy } from '../../domain/text/group-by.js';
import { statements } from '../statements.js';
import { insertRuns } from '../submission.js';
import type { SubmittedRun } from '../../domain/ports/record/batch-intake.js';
import { definitionReader } from './definitions.js';
import { missingBatch } from './missing.js';

interface Cell {
  model: string;
  task: string;
  /** Attempts given, counted or not; their highest number and seed, and one run. */
  given: number;
  attempt: number;
  run: string;
  /** Of the attempts that count; null: the task has no gains. */
  gains: (number | null)[];
}

interface State {
  allocation: Allocation | null;
  seed: number;
  open: boolean;
  spent: boolean;
  ordinal: number;
  shard: number;
  version: string;
}

const STATE = `select b.allocation, b.seed::float8 as seed,
    count(*) filter (where r.status <> 'ended') > 0 as open,
    coalesce(bool_or(r.end_reason = 'budget'), false) or coalesce(b.charged_usd >= b.budget_usd, false) as spent,
    max(r.ordinal) as ordinal, max(r.shard) as shard, max(r.harness_version) as version
  from batches b join runs r on r.batch_id = b.batch_id
  where b.batch_id = $1 group by b.batch_id`;

/** A repeated run does not count; its repetition is the same attempt. */
const CELLS = `select r.model_name as model, r.task_id as task, count(distinct r.attempt)::int as given, max(r.attempt) as attempt,
    max(r.run_id) as run,
    coalesce(array_agg(
      attempt_gain(t.best_attempt, v.direction, s.value, s.standard_error, target_of(v.spec)) order by r.attempt
    ) filter (where r.end_reason not in ('budget', 'cancelled', 'config_error', 'infra_error')), '{}') as gains
  from runs r join task_versions v on v.content_hash = r.task_hash
  left join baselines s on s.content_hash = r.task_hash left join run_results t on t.run_id = r.run_id
  where r.batch_id = $1 and r.forked_from is null
  group by 1, 2 order by 2, 1`;

export function allocationStore(pool: pg.Pool): Pick<BatchLifecycle, 'nextAttempts'> {
  const run = statements(pool, storeError);
  const definitionOf = definitionReader(run);
  return {
    async nextAttempts(batchId) {
      const [before] = await run<State>('allocation', STATE, [batchId]);
      if (before === undefined) throw missingBatch(batchId);
      if (before.allocation?.state !== 'playing' || before.open) return 0;
      const cells = await run<Cell>('attemptCells', CELLS, [batchId]);
      const { allocation, more } = decide(before.allocation, cells, before);
      const added: SubmittedRun[] = [];
      for (const [nth, cell] of cells.entries()) {
        if (more[nth] === 0) continue;
        const definition = (await definitionOf(cell.run)).read();
        const first = cell.attempt + 1;
        for (let attempt = first; attempt < first + more[nth]!; attempt++)
          added.push({ ...definition, runId: newRunId(), attempt, seed: before.seed + attempt });
      }
      // As a batch begins: all first ones of its pairs, then all second ones.
      added.sort((a, b) => a.attempt - b.attempt);
      const change = drizzle(pool).transaction(async (tx) => {
        // A concurrent request has added them.
        const [now] = await tx.select().from(batches).where(eq(batches.batchId, batchId)).for('update');
        if (now?.allocation?.looks !== before.allocation?.looks) return 0;
        await tx.update(batches).set({ allocation }).where(eq(batches.batchId, batchId));
        if (added.length > 0)
          await insertRuns(tx, added, { ordinal: before.ordinal + 1, shard: before.shard + 1 }, before.version);
        return added.length;
      });
      return change.catch((error: unknown) => {
        throw storeError('nextAttempts', error);
      });
    },
  };
}

/** Attempts to add, in the order of the cells, and why. Deterministic. */
export function decide(
  before: Allocation,
  cells: readonly Cell[],
  { spent }: { spent: boolean },
): { allocation: Allocation; more: number[] } {
  const none = cells.map(() => 0);
  const end = (state: Allocation['state'], detail: string) => ({
    allocation: { ...before, state, detail },
    more: none,
  });
  const gained = [...groupBy(cells, ({ task }) => task).values()].filter((ofTask) =>
    ofTask.every(({ gains }) => !gains.includes(null)),
  );
  if (gained.length === 0) return end('unknown', 'stopped: none of its tasks has both a baseline and a target');
  const empty = gained.flat().find(({ gains }) => gains.length === 0);
  if (empty !== undefined)
    return end('unknown', `stopped: no attempt of ${empty.model} at ${empty.task} counts; retry those that failed`);
  const order = settleOrder(
    gained.map((ofTask) => ofTask.map(({ gains }) => gains as number[])),
    gained.map((ofTask) => ofTask.map(({ given }) => given)),
    before,
  );
  const looks = before.looks + 1;
  const found = { ...before, looks, pairs: order.pairs.length, settled: order.settled };
  const settled = `${order.settled} of ${order.pairs.length} pairs of models are in order at ${100 * before.confidence} %`;
  const rest = order.pairs.length - order.settled;
  const stop = (state: Allocation['state'], detail: string) => ({
    allocation: { ...found, state, detail },
    more: none,
  });
  if (rest === 0) return stop('settled', `stopped: ${settled}`);
  if (spent) return stop('budget', `stopped, the budget is spent: ${settled}`);
  const planned = order.more.flat().reduce((sum, one) => sum + one, 0);
  if (planned === 0 || looks >= plannedLooks(before))
    return stop(
      'max_attempts',
      `stopped: ${settled}; up to ${before.maxAttempts} attempts do not settle the other ${rest}`,
    );
  const moreOf = new Map(
    gained.flatMap((ofTask, task) => ofTask.map((cell, model) => [cell, order.more[task]![model]!])),
  );
  return {
    allocation: { ...found, detail: `continues with ${planned} more attempts: ${settled}, ${order.open} more may be` },
    more: cells.map((cell) => moreOf.get(cell) ?? 0),
  };
}
