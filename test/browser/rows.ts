import type { Database } from '../../db/index.js';
import type { BatchSubmission } from '../../domain/ports/record/batch-intake.js';
import { evaluate, run, submission, SUBMITTED, task } from '../fixtures/rows.js';

export const MODELS = ['alpha', 'beta', 'gamma'];
export const TASKS = ['one', 'two'];
/** Of the first run. */
export const STEPS = 30;

/** An ended batch: three models, two tasks, two attempts; the first run has 30 steps. */
export async function storeSweep(db: Database): Promise<BatchSubmission> {
  const tasks = TASKS.map((id) => task(id, 'maximize', { baseline: { value: 1, standardError: 0 } }));
  const batch = submission('sweep', (batchId) =>
    MODELS.flatMap((name) =>
      tasks.flatMap((spec) =>
        [1, 2].map((attempt) => ({
          ...run(batchId, spec, name, attempt),
          model: { name, kind: 'real' as const, provider: 'openai', model: name },
        })),
      ),
    ),
  );
  await db.intake.submit(batch);
  for (const [i, { runId }] of batch.runs.entries()) {
    const steps = i === 0 ? STEPS : 4;
    await db.pool.query(
      `insert into steps (run_id, step, response, thought, action, observation, exit_code, output_bytes, requested, working_dir,
         command_ms, model_ms, executed_at)
       select $1, s, 'reply ' || s, 'thought of step ' || s, case when s = $2 then 'submit' when s % 10 = 0 then 'validate' else 'python train.py --step ' || s end,
         'output of step ' || s || E'\\r' || 'the whole line of step ' || s, case when s = 7 then 1 else 0 end, 100,
         case when s = $2 then 'submit' when s % 10 = 0 then 'validate' end, '/home/agent/workspace', 1200, 3400, now()
       from generate_series(1, $2::int) s`,
      [runId, steps],
    );
    // Without an answer of a model a score would be the starter's.
    await db.pool.query(
      `insert into model_calls (run_id, step, try, attempt, provider, model, request_hash, request_messages, status, input_tokens, output_tokens, cost_usd, ms)
       select $1, s, 1, 1, 'openai', 'm', 'hash', 2, 'confirmed', 100, 20, 0.001, 3400 from generate_series(1, $2::int) s`,
      [runId, steps],
    );
    if (i === 0) {
      await evaluate(db, runId, 10, 'validate', 1.25);
      await evaluate(db, runId, 20, 'validate', 2.5);
    } else await evaluate(db, runId, 2, 'validate', 1.5 + (i % 3));
    await evaluate(db, runId, steps, 'submit', 1.5 + (i % 4));
    await db.store.finishRun(runId, SUBMITTED);
  }
  await db.pool.query(
    `update runs set isolation = 'container', cost_usd = 0.01 * (1 + ordinal), input_tokens = 5000, output_tokens = 300, started_at = created_at, host_id = null,
       step = (select count(*) from steps s where s.run_id = runs.run_id)`,
  );
  await db.pool.query(
    `update batches set status = 'ended', started_at = created_at, ended_at = now() where batch_id = $1`,
    [batch.batch.batchId],
  );
  return batch;
}
