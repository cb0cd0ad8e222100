import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Database, openDatabase, readInstallation } from '../../db/index.js';
import type { SubmittedRun } from '../../domain/ports/record/batch-intake.js';
import type { NotificationBody } from '../../domain/views/notifications.js';
import type { Webhook } from '../../operations/notify/webhook.js';
import { createLogger } from '../../worker/logger.js';
import { notifier } from '../../worker/notifier.js';
import { run, submission, task } from '../fixtures/rows.js';
import { receiver } from '../setup/receiver.js';
import { sharedDatabases } from '../setup/shared-databases.js';

const server = sharedDatabases();
const log = createLogger({ level: 'error', secrets: [], sdkMetricsAddress: undefined });
let db: Database;
let at: Awaited<ReturnType<typeof receiver>>;
let webhook: Webhook;
let look: () => Promise<void>;
beforeEach(async () => {
  const url = await server.createDatabase();
  await readInstallation(url);
  db = openDatabase(url);
  at = await receiver();
  webhook = {
    url: at.url,
    format: 'json',
    on: ['ended', 'stalled', 'budget_exhausted', 'paused'],
    stallSeconds: 3600,
    secret: null,
  };
  look = notifier(db, webhook, log);
});
afterEach(async () => {
  await db.close();
  await at.close();
});

const told = (): string[] => at.received.map(({ body }) => (JSON.parse(body) as NotificationBody).event);
const sql = (text: string, values: unknown[] = []) => db.pool.query(text, values);

/** A running batch with a budget of 5 dollars. */
async function batch(more: Partial<SubmittedRun> = {}): Promise<{ batchId: string; runIds: string[] }> {
  const { batch: one, runs } = submission(null, (batchId) =>
    [1, 2].map((attempt) => ({ ...run(batchId, task('t'), 'm', attempt), ...more })),
  );
  await db.intake.submit({ batch: { ...one, budgetUsd: '5' }, runs });
  await sql(`update batches set status = 'running', started_at = now() where batch_id = $1`, [one.batchId]);
  return { batchId: one.batchId, runIds: runs.map(({ runId }) => runId) };
}
const endBatch = (batchId: string) =>
  sql(`update batches set status = 'ended', ended_at = now() where batch_id = $1`, [batchId]);
const endRun = (runId: string, endReason: string) =>
  sql(
    `update runs set status = 'ended', end_reason = $2, final_evaluation = 'ok', ended_at = now(), met_budget_usd = 5 where run_id = $1`,
    [runId, endReason],
  );

describe('a webhook', () => {
  test('is told once that a batch has ended, with what it came to', async () => {
    await db.notifications.begin();
    const { batchId, runIds } = await batch();
    await look();
    expect(told()).toEqual([]);
    await endRun(runIds[0]!, 'submit');
    await endRun(runIds[1]!, 'infra_error');
    await endBatch(batchId);
    await look();
    await look();
    expect(told()).toEqual(['batch.ended']);
    expect(JSON.parse(at.received[0]!.body)).toMatchObject({
      text: `Batch ${batchId} has ended: 2 of 2 runs, $0; 1 submit, 1 infra_error`,
      batch: { batchId, status: 'ended', byEndReason: { submit: 1, infra_error: 1 }, budgetUsd: '5' },
    });
    expect(await db.notifications.list(5)).toMatchObject([{ batchId, state: 'sent', tries: 1, error: null }]);
  });

  test('is told of the budget once, and again of a raised one', async () => {
    await db.notifications.begin();
    const { batchId, runIds } = await batch();
    await endRun(runIds[0]!, 'budget');
    await look();
    await look();
    expect(told()).toEqual(['batch.budget_exhausted']);
    await sql('update batches set budget_usd = 9 where batch_id = $1', [batchId]);
    await look();
    expect(told()).toHaveLength(1);
    await endRun(runIds[1]!, 'budget');
    await sql('update runs set met_budget_usd = 9 where run_id = $1', [runIds[1]]);
    await look();
    expect(told()).toEqual(['batch.budget_exhausted', 'batch.budget_exhausted']);
  });

  test('is notified of a batch that paused itself, with the reason, once for each time; not of one that a person paused', async () => {
    await db.notifications.begin();
    const [itself, person] = [await batch(), await batch()];
    await db.batchControl.pause(person.batchId);
    await sql('update batches set breaker = 1 where batch_id = $1', [itself.batchId]);
    const detail = 'nobody answers at 127.0.0.1:1';
    await db.store.finishRun(itself.runIds[0]!, {
      ...{ endReason: 'infra_error', finalEvaluation: 'not_run', detail, cause: 'provider' },
    });
    await look();
    await look();
    expect(told()).toEqual(['batch.paused']);
    const because = `1 run in a row ended by a fault of the provider: ${detail}`;
    expect(JSON.parse(at.received[0]!.body)).toMatchObject({
      text: `Batch ${itself.batchId} has paused itself (${because}): 1 of 2 runs, $0; 1 infra_error, 1 queued`,
      batch: { batchId: itself.batchId, pauseReason: because, breaker: 1 },
    });
    await db.batchControl.unpause(itself.batchId);
    await db.batchControl.pause(itself.batchId);
    await look();
    expect(told()).toEqual(['batch.paused']);
  });

  test('is told of a batch that stands still, once until it moves again; not of a paused one', async () => {
    await sql(`update installation set notify_from = now() - interval '1 day'`);
    const [still, paused, moving] = [await batch(), await batch(), await batch()];
    await sql(`update batches set created_at = now() - interval '3 hours'`);
    const moved = (hours: number, ids: string[]) =>
      sql(`update runs set updated_at = now() - make_interval(hours => $1) where run_id = any ($2)`, [hours, ids]);
    await moved(2, [...still.runIds, ...paused.runIds]);
    await sql('update batches set paused_at = now() where batch_id = $1', [paused.batchId]);
    await moved(2, moving.runIds.slice(0, 1));
    await look();
    await look();
    expect(at.received.map(({ body }) => (JSON.parse(body) as NotificationBody).batch?.batchId)).toEqual([
      still.batchId,
    ]);
    await moved(0, still.runIds);
    await look();
    await sql(`update runs set updated_at = now() - interval '90 minutes' where run_id = any ($1)`, [still.runIds]);
    await look();
    expect(told()).toEqual(['batch.stalled', 'batch.stalled']);
  });

  test('hears nothing of before it was set, of imports, of verifications, or of what it does not want', async () => {
    const old = await batch();
    await endBatch(old.batchId);
    await db.notifications.begin();
    for (const change of [`origin = 'mlgym'`, 'verification = true', 'training = true']) {
      const { batchId } = await batch();
      await sql(`update batches set ${change} where batch_id = $1`, [batchId]);
      await endBatch(batchId);
    }
    const wanted = await batch();
    await endBatch(wanted.batchId);
    await notifier(db, { ...webhook, on: ['budget_exhausted'] }, log)();
    expect(told()).toEqual([]);
    await look();
    expect(at.received.map(({ body }) => (JSON.parse(body) as NotificationBody).batch?.batchId)).toEqual([
      wanted.batchId,
    ]);
  });

  test('that is away is told later, by whichever worker is up', async () => {
    await db.notifications.begin();
    const { batchId } = await batch();
    await endBatch(batchId);
    at.answers.push(500, 503);
    await look();
    expect(await db.notifications.list(1)).toMatchObject([{ state: 'waiting', tries: 1, error: 'HTTP 500' }]);
    await look();
    expect(at.received).toHaveLength(1);
    const due = () => sql('update notifications set due_at = now()');
    await due();
    await notifier(db, webhook, log)();
    await due();
    // A worker takes it and dies: another one has it a minute later.
    expect(await db.notifications.take(5)).toHaveLength(1);
    expect(await db.notifications.take(5)).toEqual([]);
    await due();
    await look();
    expect(await db.notifications.list(1)).toMatchObject([{ state: 'sent', tries: 4, error: null }]);
    const ids = at.received.map(({ headers }) => headers['bench-notification-id']);
    expect([ids.length, new Set(ids).size]).toEqual([3, 1]);
  });

  test('that stays away for a day is given up; one that is no longer set is sent nothing', async () => {
    await db.notifications.begin();
    const first = await batch();
    await endBatch(first.batchId);
    at.answers.push(500, 500);
    await look();
    await sql('update notifications set due_at = now(), tries = 40');
    await look();
    expect(await db.notifications.list(1)).toMatchObject([{ state: 'given_up', dueAt: null, error: 'HTTP 500' }]);
    const second = await batch();
    await endBatch(second.batchId);
    await db.notifications.collect({ kinds: ['ended'], stallSeconds: 3600 });
    await db.notifications.end();
    const between = await batch();
    await endBatch(between.batchId);
    await db.notifications.begin();
    await look();
    expect(at.received).toHaveLength(2);
  });

  test('is told once however many workers look', async () => {
    await db.notifications.begin();
    for (let nth = 0; nth < 12; nth++) await endBatch((await batch()).batchId);
    await Promise.all(Array.from({ length: 6 }, () => notifier(db, webhook, log)()));
    await look();
    expect(told()).toHaveLength(12);
  });
});
