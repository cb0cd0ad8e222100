import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Database, migrate, openDatabase } from '../../db/index.js';
import { Stale, Superseded } from '../../domain/errors.js';
import type { ModelReply } from '../../domain/model/model.js';
import type { ObservedCommand } from '../../domain/run/run.js';
import { oneRun, SUBMITTED } from '../fixtures/rows.js';
import { sharedDatabases } from '../setup/shared-databases.js';

const server = sharedDatabases();
let db: Database;
let runId: string;
beforeAll(async () => {
  const url = await server.createDatabase();
  await migrate(url);
  db = openDatabase(url);
});
afterAll(() => db.close());
beforeEach(async () => {
  ({ runId } = await oneRun(db));
});

const take = (fence: string, more: { epoch?: number; from?: number } = {}) =>
  db.store.takeOver({ runId, epoch: 0, from: 1, fence, ...more });
const fenceOf = async (): Promise<string | null> =>
  (await db.pool.query<{ fence: string | null }>('select fence from runs where run_id = $1', [runId])).rows[0]!.fence;
const action = (text: string) => ({ response: text, thought: '', action: text, modelMs: 3 });
const command = (observation: string, more: Partial<ObservedCommand> = {}): ObservedCommand => ({
  ...{ observation, exitCode: 0, timedOut: false, lost: false, outputBytes: 1, requested: null },
  ...{ workingDir: '/w', commandMs: 4, ...more },
});
const reply = (text: string): ModelReply => ({
  text,
  usage: { inputTokens: 1, outputTokens: 1, cachedTokens: 0, reasoningTokens: 0 },
  costUsd: '0.5',
  finishReason: 'stop',
});
const [OLD, NEW] = ['chain/00000002/000001', 'chain/00000002/000002'];

describe('an attempt takes over the steps of a run', () => {
  test.each([
    ['of an earlier activity', 'chain/00000001/000009', 'chain/00000002/000001'],
    ['of an earlier attempt at its activity', 'chain/00000002/000009', 'chain/00000002/000010'],
    ['of itself', 'chain/00000002/000001', 'chain/00000002/000001'],
    ['of another workflow, however late', 'old/00000099/000009', 'new/00000001/000001'],
  ])('%s', async (_, before, after) => {
    await take(before);
    expect(await take(after)).toEqual([]);
    expect(await fenceOf()).toBe(after);
  });

  test.each([
    ['activity', 'chain/00000010/000001', 'chain/00000009/000002'],
    ['attempt', 'chain/00000002/000010', 'chain/00000002/000009'],
  ])('but not of a later %s', async (_, current, late) => {
    await take(current);
    await expect(take(late)).rejects.toThrow(Superseded);
    expect(await fenceOf()).toBe(current);
  });

  test('but not in another epoch, nor when the run has ended', async () => {
    await expect(take(NEW, { epoch: 1 })).rejects.toThrow(Stale);
    await take(OLD);
    await db.store.finishRun(runId, SUBMITTED);
    await expect(take(NEW)).rejects.toThrow(Stale);
    expect(await fenceOf()).toBe(OLD);
  });

  test('and finds what is recorded from its first step on', async () => {
    await take(OLD);
    await db.store.saveAction(runId, 1, action('ls'), { token: OLD });
    await db.store.saveCommand(runId, 1, command('a'), { fence: { token: OLD } });
    await db.store.saveAction(runId, 2, action('validate'), { token: OLD });
    await db.store.saveCommand(runId, 2, command('b', { requested: 'validate' }), { fence: { token: OLD } });
    await db.store.saveAction(runId, 3, { ...action(''), action: null }, { token: OLD });
    const times = { modelMs: 3, commandMs: 4 };
    expect(await take(NEW, { from: 2 })).toEqual([
      { step: 2, hasAction: true, refused: false, executed: true, requested: 'validate', ...times },
      { step: 3, hasAction: false, refused: false, executed: false, requested: null, ...times, commandMs: 0 },
    ]);
  });

  test('one of several at the same moment, the latest', async () => {
    const fences = Array.from({ length: 8 }, (_, n) => `chain/00000002/00000${n + 1}`);
    const taken = await Promise.allSettled(fences.map((fence) => take(fence)));
    expect(taken.at(-1)?.status).toBe('fulfilled');
    expect(await fenceOf()).toBe(fences.at(-1));
  });
});

describe('an attempt after which another has taken over', () => {
  beforeEach(async () => {
    await take(OLD);
    await db.store.saveAction(runId, 1, action('ls'), { token: OLD });
    await take(NEW);
  });
  const old = { token: OLD };

  test('records no action, and moves the run no further', async () => {
    await expect(db.store.saveAction(runId, 2, action('rm -r .'), old)).rejects.toThrow(Superseded);
    expect(await db.store.step(runId, 2)).toBeNull();
    const { rows } = await db.pool.query('select step from runs where run_id = $1', [runId]);
    expect(rows).toEqual([{ step: 1 }]);
  });

  test('records no outcome of a command, nor what comes with it', async () => {
    const submission = { kind: 'files' as const, sha256: 'a'.repeat(64) };
    const events = [{ kind: 'command_lost' as const, key: 'step-1', detail: 'step 1: lost' }];
    await expect(
      db.store.saveCommand(runId, 1, command('late', { requested: 'submit' }), { events, submission, fence: old }),
    ).rejects.toThrow(Superseded);
    await db.store.saveCommand(runId, 1, command('in time'), { fence: { token: NEW } });
    expect(await db.store.step(runId, 1)).toMatchObject({ observation: 'in time', requested: null });
    for (const table of ['submissions', 'events']) {
      const { rows } = await db.pool.query(`select from ${table} where run_id = $1`, [runId]);
      expect(rows, table).toEqual([]);
    }
  });

  test('reads no step to execute', async () => {
    await expect(db.store.step(runId, 1, old)).rejects.toThrow(Superseded);
    expect(await db.store.step(runId, 1, { token: NEW })).toMatchObject({ action: 'ls' });
  });

  test('reserves no call', async () => {
    await expect(db.store.reserveCall({ runId, step: 2, try: 0, fence: old }, request)).rejects.toThrow(Superseded);
    expect(await calls()).toEqual([]);
    const current = { runId, step: 2, try: 0, fence: { token: NEW } };
    expect(await db.store.reserveCall(current, request)).toMatchObject({ kind: 'reserved', attempt: 1 });
  });

  test('keeps no snapshot: later commands may have changed the workspace meanwhile', async () => {
    const kept = { runId, step: 1, epoch: 0, bytes: 1, disk: null, diskHost: null };
    const save = (artifact: string, fence?: string) =>
      db.store.saveSnapshot({ ...kept, artifact, fence, reason: 'interval', archiveWanted: false });
    await save('a'.repeat(64), OLD);
    expect(await db.store.snapshotAt(runId, 1)).toBeNull();
    await save('b'.repeat(64), NEW);
    expect(await db.store.snapshotAt(runId, 1)).toMatchObject({ artifact: 'b'.repeat(64) });
  });

  test('still stores the answer to a call of its own: it is paid', async () => {
    const key = { runId, step: 2, try: 0 };
    await db.store.reserveCall({ ...key, fence: { token: NEW } }, request);
    await take('chain/00000003/000001');
    await db.store.settleCall({ ...key, fence: { token: NEW } }, reply('yes'), 9, { attempt: 1 });
    const stored = await db.store.reserveCall({ ...key, fence: { token: 'chain/00000003/000001' } }, request);
    expect(stored).toMatchObject({ kind: 'stored', reply: { text: 'yes' } });
  });
});

const request = {
  ...{ provider: 'openai', model: 'm', messages: [], reservedUsd: '2', worker: 'machine/1/1', boundMs: 600_000 },
};
const calls = async () => {
  const { rows } = await db.pool.query<{ attempt: number; status: string; error: string | null }>(
    'select attempt, status, error from model_calls where run_id = $1 order by attempt',
    [runId],
  );
  return rows;
};

describe('a call whose maker was thought dead', () => {
  const key = () => ({ runId, step: 1, try: 0 });
  beforeEach(async () => {
    await db.store.reserveCall(key(), request);
    const gone = [request.worker];
    const second = await db.store.reserveCall(key(), { ...request, worker: 'machine/2/2', gone });
    expect(second).toEqual({ kind: 'reserved', attempt: 2, earlierAttempts: 1 });
  });
  const cutOff = { attempt: 1, status: 'unconfirmed', error: 'lost' };
  const open = { attempt: 2, status: 'reserved', error: null };

  test('settles nothing of the attempt after it', async () => {
    await db.store.settleCall(key(), reply('late'), 9, { attempt: 1 });
    expect(await calls()).toEqual([cutOff, open]);
    expect(await db.store.spending(runId)).toMatchObject({ confirmedUsd: '0', unconfirmedUsd: '4' });
  });

  test.each(['no', 'unknown'] as const)('fails nothing of the attempt after it (billed: %s)', async (billed) => {
    await db.store.failCall(key(), 'server_error', billed, { attempt: 1 });
    expect(await calls()).toEqual([cutOff, open]);
  });

  test('nor takes back the answer to that', async () => {
    await db.store.settleCall(key(), reply('in time'), 9, { attempt: 2 });
    await db.store.settleCall(key(), reply('late'), 9, { attempt: 1 });
    await db.store.failCall(key(), 'server_error', 'no', { attempt: 1 });
    expect(await calls()).toEqual([cutOff, { attempt: 2, status: 'confirmed', error: null }]);
    expect(await db.store.spending(runId)).toMatchObject({ confirmedUsd: '0.5', unconfirmedUsd: '2' });
    expect(await db.store.storedAnswer(key())).toMatchObject({ reply: { text: 'in time' } });
  });
});

describe('a call that another worker may still receive', () => {
  const key = () => ({ runId, step: 1, try: 0 });
  const another = { ...request, worker: 'machine/2/2' };
  beforeEach(async () => void (await db.store.reserveCall(key(), request)));
  const passBound = () =>
    db.pool.query("update model_calls set gives_up_at = now() - interval '1 second' where run_id = $1", [runId]);

  test('is not repeated until that one gives up', async () => {
    const reserved = await db.store.reserveCall(key(), another);
    expect(reserved).toMatchObject({ kind: 'elsewhere', worker: request.worker });
    expect(reserved.kind === 'elsewhere' && reserved.givesUpInMs).toBeGreaterThan(0);
    expect(await calls()).toEqual([{ attempt: 1, status: 'reserved', error: null }]);
    await passBound();
    expect(await db.store.reserveCall(key(), another)).toMatchObject({ kind: 'reserved', attempt: 2 });
  });

  test('is repeated once its process is gone', async () => {
    expect(await db.store.reserveCall(key(), { ...another, gone: ['machine/9/9'] })).toMatchObject({
      kind: 'elsewhere',
    });
    expect(await db.store.reserveCall(key(), { ...another, gone: [request.worker] })).toMatchObject({
      ...{ kind: 'reserved', attempt: 2, earlierAttempts: 1 },
    });
  });

  test('is repeated by the same process, which knows that it is over', async () => {
    expect(await db.store.reserveCall(key(), request)).toMatchObject({ kind: 'reserved', attempt: 2 });
  });

  test('is repeated where it has failed, and its answer is used once it is there', async () => {
    await db.store.failCall(key(), 'server_error', 'no', { attempt: 1 });
    expect(await db.store.reserveCall(key(), another)).toMatchObject({ kind: 'reserved', attempt: 2 });
    await db.store.settleCall(key(), reply('yes'), 9, { attempt: 2 });
    expect(await db.store.reserveCall(key(), request)).toMatchObject({ kind: 'stored', reply: { text: 'yes' } });
  });

  test('keeps what is charged to its batch', async () => {
    await db.pool.query(
      'update batches set budget_usd = 100, charged_usd = 2 where batch_id = (select batch_id from runs where run_id = $1)',
      [runId],
    );
    const charged = async () =>
      (
        await db.pool.query<{ usd: string }>(
          `select trim_scale(charged_usd)::text as usd from batches join runs using (batch_id) where run_id = $1`,
          [runId],
        )
      ).rows[0]?.usd;
    await db.store.reserveCall(key(), another);
    expect(await charged()).toBe('2');
    await passBound();
    await db.store.reserveCall(key(), another);
    expect(await charged()).toBe('4');
  });
});
