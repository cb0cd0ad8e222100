import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createFileArtifactStore } from '../../backends/artifacts/file-artifact-store.js';
import { type Database, openDatabase } from '../../db/index.js';
import { homeLayout } from '../../domain/home/layout.js';
import { storeSubmission } from '../../domain/run/stored-submission.js';
import type { BatchHead, BatchMatrix, BatchPage, BatchSpend } from '../../domain/views/batch-pages.js';
import type { ModelCalls, RunFiles, RunHead, RunSetup, SnapshotLink, Waiting } from '../../domain/views/run-head.js';
import type { ActiveRuns, RunFacetCounts, RunPage } from '../../domain/views/run-page.js';
import type { Leaderboard } from '../../domain/views/leaderboard.js';
import type { PromptPage } from '../../domain/views/prompt.js';
import type { LeaderboardRun } from '../../domain/views/leaderboard-run.js';
import type { StepSkeleton, StepWindow } from '../../domain/views/steps.js';
import { batchDocument } from '../../cli/render/batch.js';
import { promptOf } from '../../operations/results/prompt.js';
import type { Bench } from '../../operations/bench.js';
import { API, ROUTES } from '../../web/api/routes.js';
import { createApp } from '../../web/server/app.js';
import { allHandlers } from '../../web/server/handlers/index.js';
import { watchOutage } from '../../web/server/outage.js';
import { evaluate, run, submission, SUBMITTED, task } from '../fixtures/rows.js';
import { sharedDatabases } from '../setup/shared-databases.js';

const HOST = 'localhost:1';
const HOSTILE = '<img src=x onerror=alert(1)>';
const server = sharedDatabases();
const home = mkdtempSync(join(tmpdir(), 'bench-page-'));
let db: Database;
let app: ReturnType<typeof createApp>;
let close: () => void;
const artifacts = createFileArtifactStore(join(home, 'artifacts'));
let batchId: string;
let other: string;
/** alpha on one: attempts 1 (submit, suspect), 2 (ended), 3 (running), 4 (queued); two; HOSTILE. */
let runs: string[];

const ask = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
  Promise.resolve(
    app.request(`http://${HOST}${API}${path}`, { headers: { host: HOST, authorization: 'Bearer t', ...headers } }),
  );

/** The answer, which must be what the route says of itself. */
async function get<T>(name: keyof typeof ROUTES, path: string): Promise<T> {
  const response = await ask(path);
  const body: unknown = await response.json();
  expect([path, response.status, response.status === 200 ? '' : body]).toEqual([path, 200, '']);
  const { answer } = ROUTES[name];
  if (typeof answer !== 'string') {
    const parsed = answer.safeParse(body);
    expect(parsed.error?.issues ?? []).toEqual([]);
  }
  return body as T;
}

const LONG = `${'é'.repeat(3000)}${'x'.repeat(120_000)}the end`;
/** What a `validate` adds to it. */
const SHOWN = `${LONG}\nscore: 2`;

beforeAll(async () => {
  db = openDatabase(await server.createDatabase());
  const tasks = ['one', 'two'].map((id) =>
    task(id, id === 'one' ? 'maximize' : 'minimize', { baseline: { value: 1, standardError: 0 } }),
  );
  const batch = submission('crafted', (id) =>
    ['alpha', HOSTILE].flatMap((model) =>
      tasks.flatMap((spec) => [1, 2, 3, 4].map((attempt) => ({ ...run(id, spec, model, attempt), snapshotEvery: 5 }))),
    ),
  );
  await db.intake.submit(batch);
  const second = submission('second', (id) => [run(id, tasks[0]!, 'alpha', 1)]);
  await db.intake.submit(second);
  batchId = batch.batch.batchId;
  other = second.batch.batchId;
  runs = batch.runs.map(({ runId }) => runId);
  for (const [i, runId] of runs.entries()) {
    const attempt = (i % 4) + 1;
    if (attempt === 4) continue;
    await db.pool.query(
      `update runs set status = 'running', started_at = now() - interval '90 s', isolation = 'container', workspace = '/w', cost_usd = 0.01 * (1 + ordinal),
         input_tokens = 1000 * ordinal, output_tokens = 10 where run_id = $1`,
      [runId],
    );
    for (const step of [1, 2, 3]) {
      await db.store.saveAction(runId, step, {
        response: `r${step}`,
        thought: HOSTILE,
        action: step === 3 ? 'submit' : 'python train.py',
        modelMs: 10,
      });
      if (step === 3 && attempt === 3) continue;
      await db.store.saveCommand(runId, step, {
        ...{
          observation: step === 2 ? LONG : `o${step}`,
          exitCode: step === 1 ? 1 : 0,
          timedOut: step === 2,
          lost: false,
        },
        ...{ outputBytes: 5_000_000, requested: step === 3 ? 'submit' : null, workingDir: '/w', commandMs: 20 },
      });
    }
    await db.pool.query(
      `insert into model_calls (run_id, step, try, attempt, provider, model, request_hash, request_messages, status, cost_usd, input_tokens, output_tokens, ms, sent_at, ended_at)
       select $1, s, 0, 1, 'openai', 'm', 'hash', 3, 'confirmed', 0.0025, 100, 10, 12, now(), now() from generate_series(1, 3) s
       union all select $1, 2, 0, 0, 'openai', 'm', 'hash', 3, 'failed', null, null, null, 5, now(), now()`,
      [runId],
    );
    const sha256 = await storeSubmission(artifacts, [{ path: 'answer.py', bytes: Buffer.from(`print(${i})`) }]);
    await db.pool.query(`insert into submissions (run_id, step, kind, sha256) values ($1, 2, 'validate', $2)`, [
      runId,
      sha256,
    ]);
    await evaluate(db, runId, 2, 'validate', i + 2, { submissionSha256: sha256, suspect: i === 0, ms: 2 });
    if (attempt < 3) {
      await evaluate(db, runId, 3, 'submit', i + 1, { ms: 1 });
      await db.store.finishRun(runId, SUBMITTED);
    }
  }
  await db.store.addEvent({ runId: runs[0]!, batchId, kind: 'sandbox_lost', key: 'k', detail: HOSTILE });
  await db.pool.query(
    `update runs set end_reason = 'infra_error', final_evaluation = 'not_run', detail = 'the engine died' where run_id = $1`,
    [runs[1]],
  );

  const settings = { layout: homeLayout(home), env: {}, configFolders: [] };
  const bench = {
    settings,
    ...db,
    database: () => Promise.resolve(db),
    reconnect: () => Promise.resolve(),
  } as unknown as Bench;
  const built = allHandlers(bench, watchOutage(bench), '1.2.3');
  close = () => built.hub.close();
  const token = { name: 't', role: 'operator' as const, createdAt: new Date().toISOString(), expiresAt: null };
  app = createApp({
    ...{ handlers: built.handlers, tokens: { find: () => token }, hosts: [HOST], origins: [] },
    ...{ readOnly: false, compressed: false, version: '1.2.3', page: home, limits: { requestsPerSecond: 10_000 } },
  });
});
afterAll(async () => {
  close();
  await db.close();
  rmSync(home, { recursive: true, force: true });
});

describe('runs', () => {
  test('pages hang together in every order, each run once', async () => {
    const all = await db.queries.listRuns({});
    for (const sort of [
      'createdAt',
      '-createdAt',
      'model',
      '-bestScore',
      'finalScore',
      '-cost',
      'tokens',
      'endedAt',
      '-steps',
      'status',
      '-startedAt',
    ]) {
      const seen: string[] = [];
      let after = '';
      do {
        const page: RunPage = await get('runs', `/runs?limit=5&sort=${sort}${after}`);
        seen.push(...page.runs.map(({ runId }) => runId));
        after = page.next === null ? '' : `&after=${page.next}`;
      } while (after !== '');
      expect([sort, [...seen].sort()]).toEqual([sort, all.map(({ runId }) => runId).sort()]);
    }
  });

  test('are in the order that is asked for, those without a value last', async () => {
    for (const [sort, sign] of [
      ['bestScore', 1],
      ['-bestScore', -1],
    ] as const) {
      const page: RunPage = await get('runs', `/runs?sort=${sort}`);
      const scores = page.runs.map(({ bestScore }) => bestScore);
      const known = scores.filter((score) => score !== null);
      expect(scores.slice(0, known.length)).toEqual([...known].sort((a, b) => sign * (a - b)));
      expect(scores.slice(known.length).every((score) => score === null)).toBe(true);
    }
  });

  test('say of themselves what `bench runs` says', async () => {
    const page: RunPage = await get('runs', '/runs?limit=1000');
    const listed = new Map((await db.queries.listRuns({})).map((one) => [one.runId, one]));
    for (const row of page.runs) expect(row).toMatchObject(listed.get(row.runId)!);
  });

  test('a place of another order is refused', async () => {
    const { next }: RunPage = await get('runs', '/runs?limit=2&sort=model');
    expect((await ask(`/runs?limit=2&sort=task&after=${next}`)).status).toBe(400);
    expect((await ask('/runs?after=nonsense')).status).toBe(400);
  });

  test('what a facet counts is what choosing it yields', async () => {
    const base: RunFacetCounts = await get('runFacets', '/runs/facets');
    expect(base.total).toBe(17);
    expect(base.facets.model).toEqual([
      { value: 'alpha', runs: 9 },
      { value: HOSTILE, runs: 8 },
    ]);
    for (const [facet, values] of Object.entries(base.facets))
      for (const { value, runs: count } of values) {
        const page: RunPage = await get('runs', `/runs?limit=1000&${facet}=${encodeURIComponent(value)}`);
        expect([facet, value, page.runs.length]).toEqual([facet, value, count]);
      }
  });

  test('a facet counts what the other choices leave, not its own', async () => {
    const { facets, total }: RunFacetCounts = await get('runFacets', '/runs/facets?model=alpha&status=queued');
    expect(total).toBe(3);
    expect(facets.model).toEqual([
      { value: 'alpha', runs: 3 },
      { value: HOSTILE, runs: 2 },
    ]);
    expect(Object.fromEntries(facets.status.map(({ value, runs: n }) => [value, n]))).toEqual({
      queued: 3,
      running: 2,
      ended: 4,
    });
  });

  test('the runs that have not ended are counted as choosing them does', async () => {
    const { runs: active }: ActiveRuns = await get('activeRuns', '/runs/active');
    const { facets }: RunFacetCounts = await get('runFacets', '/runs/facets');
    const chosen = facets.status.filter(({ value }) => value !== 'ended').map(({ value, runs: n }) => [value, n]);
    expect(chosen.length).toBeGreaterThan(1);
    expect(Object.entries(active).filter(([, n]) => n > 0)).toEqual(expect.arrayContaining(chosen));
    expect(Object.values(active).reduce((sum, n) => sum + n)).toBe(
      (chosen as [string, number][]).reduce((sum, [, n]) => sum + n, 0),
    );
  });

  test('texts and ranges leave what they say', async () => {
    const count = async (query: string): Promise<number> =>
      (await get<RunPage>('runs', `/runs?limit=1000&${query}`)).runs.length;
    expect(await count(`text=${encodeURIComponent('ONERROR')}`)).toBe(8);
    expect(await count('text=crafted')).toBe(16);
    expect(await count('text=%25')).toBe(0);
    expect(await count('batch=second')).toBe(1);
    expect(await count(`batch=${batchId}`)).toBe(16);
    expect(await count('scoreMin=5&scoreMax=8')).toBe(
      (await db.queries.listRuns({})).filter(({ bestScore }) => bestScore !== null && bestScore >= 5 && bestScore <= 8)
        .length,
    );
    expect(await count('since=2100-01-01T00:00:00Z')).toBe(0);
    expect(await count('durationMin=60&durationMax=1000')).toBe(12);
  });
});

describe('a run', () => {
  test('is as `bench show` has it, found by part of its id too', async () => {
    const id = runs[0]!;
    const head: RunHead = await get('run', `/runs/${id.slice(2, -2)}`);
    expect(head.run).toEqual(await db.queries.showRun(id));
    expect(head).toMatchObject({
      batchName: 'crafted',
      taskName: 'Task one',
      waiting: [],
      time: { modelMs: 30, commandMs: 60, evaluationMs: 3 },
    });
    // The suspect value is nobody's best.
    expect(head.bestOfTask).toEqual({ runId: runs[10], model: HOSTILE, score: 12 });
  });

  test('has its steps as columns, whose figures are those of its trajectory', async () => {
    const id = runs[0]!;
    const skeleton: StepSkeleton = await get('skeleton', `/runs/${id}/skeleton`);
    const steps = await db.queries.trajectory(id);
    const { columns } = skeleton;
    expect(columns.step).toEqual(steps.map(({ step }) => step));
    expect(columns.costUsd).toEqual(steps.map(({ costUsd }) => costUsd));
    expect(columns.exitCode).toEqual(steps.map(({ exitCode }) => exitCode));
    expect(columns.tokens).toEqual(steps.map(({ inputTokens, outputTokens }) => inputTokens + outputTokens));
    expect(columns.observationBytes).toEqual(steps.map(({ observation }) => Buffer.byteLength(observation ?? '')));
    expect(columns.at).toEqual(steps.map(({ at }) => Date.parse(at)));
    expect(columns.category).toEqual(['Python', 'Python', 'Submit']);
    expect(columns.badges).toEqual([0, 4, 0]);
    expect(columns.score).toEqual([null, 2, 1]);
    expect(skeleton.evaluations.map(({ number, step }) => [number, step])).toEqual([
      [1, 2],
      [2, 3],
    ]);
    expect(skeleton.events).toMatchObject([{ kind: 'sandbox_lost', step: 3 }]);
    expect((await get<StepSkeleton>('skeleton', `/runs/${runs[2]}/skeleton`)).columns.badges).toEqual([0, 4, 8]);
  });

  test('comes in pages that lose nothing', async () => {
    const first: StepSkeleton = await get('skeleton', `/runs/${runs[0]}/skeleton?limit=2`);
    const second: StepSkeleton = await get('skeleton', `/runs/${runs[0]}/skeleton?limit=2&after=${first.next}`);
    expect([first.columns.step, first.next, second.columns.step, second.next]).toEqual([[1, 2], 2, [3], null]);
    expect([...first.events, ...second.events]).toHaveLength(1);
    expect([...first.evaluations, ...second.evaluations].map(({ number }) => number)).toEqual([1, 2]);
  });

  test('shows texts by head and tail, and says what is between them', async () => {
    const { steps }: StepWindow = await get('steps', `/runs/${runs[0]}/steps?from=1&to=3&preview=100`);
    const full = await db.queries.trajectory(runs[0]!);
    const [first, second] = steps;
    expect(first!.observation).toEqual({ head: 'o1', tail: '', omitted: 0, bytes: 2 });
    const { head, tail, omitted, bytes } = second!.observation!;
    expect([head, tail.slice(-7), omitted, bytes]).toEqual([
      'é'.repeat(50),
      'core: 2',
      SHOWN.length - 100,
      Buffer.byteLength(SHOWN),
    ]);
    for (const [i, step] of steps.entries()) {
      const { response: _r, thought: _t, action: _a, observation: _o, ...rest } = full[i]!;
      expect(step).toMatchObject(rest);
    }
    expect((await ask(`/runs/${runs[0]}/steps?from=1&to=101`)).status).toBe(400);
  });

  test('gives a text as a whole and by ranges of bytes, never as a page', async () => {
    const path = `/runs/${runs[0]}/steps/2/observation`;
    const whole = await ask(path);
    expect([whole.status, await whole.text()]).toEqual([200, SHOWN]);
    expect(whole.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(whole.headers.get('content-disposition')).toBe('attachment');
    expect(whole.headers.get('content-security-policy')).toContain('sandbox');
    const parts: Buffer[] = [];
    for (let from = 0; ; from += 50_000) {
      const part = await ask(path, { range: `bytes=${from}-${from + 49_999}` });
      expect(part.status).toBe(206);
      parts.push(Buffer.from(await part.arrayBuffer()));
      expect(part.headers.get('content-range')).toBe(
        `bytes ${from}-${from + parts.at(-1)!.length - 1}/${Buffer.byteLength(SHOWN)}`,
      );
      if (parts.at(-1)!.length < 50_000) break;
    }
    expect(Buffer.concat(parts).toString()).toBe(SHOWN);
    for (const wrong of ['/steps/9/observation', '/steps/2/secrets', '/steps/x/action'])
      expect([404, 400]).toContain((await ask(`/runs/${runs[0]}${wrong}`)).status);
  });

  test('has calls whose sum is told beside the cost of the run', async () => {
    const calls: ModelCalls = await get('calls', `/runs/${runs[0]}/calls`);
    expect(calls.calls.map(({ step, attempt, status }) => [step, attempt, status])).toEqual([
      [1, 1, 'confirmed'],
      [2, 0, 'failed'],
      [2, 1, 'confirmed'],
      [3, 1, 'confirmed'],
    ]);
    expect(calls.sums).toEqual({ calls: 3, costUsd: '0.0075', runCostUsd: '0.01' });
    const first: ModelCalls = await get('calls', `/runs/${runs[0]}/calls?limit=2`);
    const rest: ModelCalls = await get('calls', `/runs/${runs[0]}/calls?limit=2&after=${first.next}`);
    expect([...first.calls, ...rest.calls]).toEqual(calls.calls);
    expect(rest.next).toBeNull();
  });

  test('has the files that were scored, and says which are gone', async () => {
    const { submissions }: RunFiles = await get('files', `/runs/${runs[4]}/files`);
    expect(submissions).toMatchObject([{ step: 2, kind: 'validate', score: 6, files: [{ path: 'answer.py' }] }]);
    const file = await ask(`/files/${submissions[0]!.files![0]!.sha256}`);
    expect([file.status, await file.text(), file.headers.get('content-type')]).toEqual([
      200,
      'print(4)',
      'application/octet-stream',
    ]);
    expect(file.headers.get('content-disposition')).toBe('attachment');
    for (const name of ['0'.repeat(64), 'x', '..%2f..%2fui%2ftokens.json'])
      expect((await ask(`/files/${name}`)).status).toBe(404);
  });

  test('has snapshots, whose archives whoever got an address may fetch for a while', async () => {
    const archive = Buffer.from('the files of a workspace');
    const sha256 = await artifacts.put(archive);
    const damaged = await artifacts.put(Buffer.from('bytes that flip'));
    writeFileSync(join(home, 'artifacts', damaged.slice(0, 2), damaged), 'bytes that flop');
    await db.pool.query(
      `insert into hosts (host_id, hostname, seen_at) values ('h-disks', 'gpu-7', now() - interval '1 year')`,
    );
    await db.pool.query(
      `insert into artifacts (sha256, bytes, kind) values ($1, $2, 'snapshot'), ($3, 15, 'snapshot'), ($4, 9, 'snapshot')`,
      [sha256, archive.length, damaged, '0'.repeat(64)],
    );
    await db.pool.query(
      `insert into snapshots (run_id, step, epoch, reason, artifact, bytes, disk, disk_host) values
         ($1, 1, 0, 'interval', $2, $3, null, null), ($1, 2, 0, 'validate', null, null, 'd', 'h-disks'),
         ($1, 3, 0, 'interval', $4, 9, null, null), ($1, 4, 0, 'interval', $5, 15, null, null)`,
      [runs[0], sha256, archive.length, '0'.repeat(64), damaged],
    );
    const { snapshots }: RunFiles = await get('files', `/runs/${runs[0]}/files`);
    expect(snapshots.map(({ step, host }) => [step, host])).toEqual([
      ...[
        [1, null],
        [2, 'gpu-7'],
        [3, null],
        [4, null],
      ],
    ]);

    const link: SnapshotLink = await get('snapshotLink', `/runs/${runs[0]}/snapshots/1/link`);
    expect(link).toMatchObject({ sha256, bytes: archive.length, fileName: `${runs[0]}-step-1.tar.gz` });
    const path = link.url.slice(API.length);
    // A browser's own download has no token.
    const got = await ask(path, { authorization: '' });
    expect([got.status, await got.text(), got.headers.get('content-disposition')]).toEqual([
      ...[200, String(archive), `attachment; filename="${link.fileName}"`],
    ]);
    for (const forged of [path.slice(0, -4), `/downloads/${'x'.repeat(40)}`, `/downloads/e30.${path.split('.')[1]}`])
      expect([(await ask(forged)).status, forged]).toEqual([404, forged]);

    const why = async (step: string) => {
      const response = await ask(`/runs/${runs[0]}/snapshots/${step}/link`);
      return [response.status, ((await response.json()) as { error: { message: string } }).error.message];
    };
    expect(await why('2')).toEqual([404, expect.stringMatching(/a disk on gpu-7, and no archive yet/)]);
    expect(await why('3')).toEqual([404, expect.stringMatching(/not in this machine's artifact store/)]);
    expect(await why('9')).toEqual([404, expect.stringMatching(/has no snapshot of step 9/)]);
    expect(await why('x')).toEqual([400, 'step must be a whole number']);
    const bad: SnapshotLink = await get('snapshotLink', `/runs/${runs[0]}/snapshots/4/link`);
    await expect((await ask(bad.url.slice(API.length))).text()).rejects.toThrow(/damaged/);
    // Other tests tell what hosts there are.
    await db.pool.query(`delete from snapshots where disk_host is not null`);
    await db.pool.query(`delete from hosts where host_id = 'h-disks'`);
  });

  test('says what it was given, and who was given the same', async () => {
    const setup: RunSetup = await get('setup', `/runs/${runs[0]}/setup`);
    expect(setup.sameSetup).toHaveLength(4);
    expect(setup.firstPrompt?.map(({ content }) => content)).toEqual(['s', 't']);
    expect(setup.limits).toEqual({
      maxSteps: 50,
      wallSeconds: 0,
      costLimitUsd: '2.5',
      tokenLimit: 100_000,
      gpus: 0,
      snapshotEvery: 5,
    });
  });

  test('has the images that its agent looked at', async () => {
    const bytes = Buffer.from('\x89PNG', 'latin1');
    await db.pool.query(
      `insert into images (run_id, image_id, step, type, bytes) values ($1, 'abc', 1, 'image/png', $2)`,
      [...[runs[0], bytes]],
    );
    const found = await ask(`/runs/${runs[0]}/images/abc`);
    expect(Buffer.from(await found.arrayBuffer())).toEqual(bytes);
    expect(found.headers.get('content-type')).toBe('application/octet-stream');
    expect((await ask(`/runs/${runs[1]}/images/abc`)).status).toBe(404);
  });

  test('shows the prompt of a step, and whether it is what was sent', async () => {
    const path = `/runs/${runs[0]}/steps/2/prompt`;
    const before: PromptPage = await get('prompt', path);
    expect([before.turns[0]!.proof, before.sameAsBefore, before.messages.length]).toEqual(['different', 2, 4]);
    const { sameAsBefore: _same, tokens: _tokens, ...asked } = before;
    expect(asked).toEqual(await promptOf(db, runs[0]!, 2));
    await db.pool.query(`update model_calls set request_hash = $2 where run_id = $1 and step = 2`, [
      runs[0],
      before.turns[0]!.hash,
    ]);
    expect((await get<PromptPage>('prompt', path)).turns[0]!.proof).toBe('equal');
    expect((await ask(`/runs/${runs[0]}/steps/9/prompt`)).status).toBe(422);
  });

  test('says why it waits', async () => {
    const waiting = async (id: string): Promise<Waiting['waiting']> =>
      (await get<Waiting>('waiting', `/runs/${id}/waiting`)).waiting;
    expect(await waiting(runs[7]!)).toMatchObject([{ kind: 'concurrency', ahead: 1, concurrency: 2 }]);
    await db.pool.query('update batches set paused_at = now() where batch_id = $1', [batchId]);
    expect(await waiting(runs[7]!)).toMatchObject([{ kind: 'paused' }]);
    await db.pool.query('update batches set paused_at = null where batch_id = $1', [batchId]);
    await db.pool.query(`update runs set status = 'waiting_gpu', gpus = 2, waiting_since = now() where run_id = $1`, [
      runs[7],
    ]);
    expect(await waiting(runs[7]!)).toMatchObject([{ kind: 'gpu', gpus: 2, ahead: 0, holders: [], hosts: [] }]);
    await db.pool.query(`update runs set status = 'waiting_host' where run_id = $1`, [runs[7]]);
    await db.pool.query(`insert into hosts (host_id, backends) values ('h', '["podman"]')`);
    expect(await waiting(runs[7]!)).toMatchObject([
      { kind: 'host', hosts: [{ hostId: 'h', reason: 'does not offer docker' }] },
    ]);
    await db.pool.query(`update runs set status = 'queued', gpus = 0, waiting_since = null where run_id = $1`, [
      runs[7],
    ]);
    expect(await waiting(runs[0]!)).toEqual([]);
  });

  test('that is not there is said to be missing', async () => {
    for (const path of ['', '/skeleton', '/waiting', '/calls', '/setup', '/files']) {
      const response = await ask(`/runs/r-00000000000000000000000000${path}`);
      expect([path, response.status]).toEqual([path, path === '/files' ? 200 : 404]);
    }
  });
});

describe('batches', () => {
  test('come in pages, the newest first', async () => {
    const first: BatchPage = await get('batches', '/batches?limit=1');
    const second: BatchPage = await get('batches', `/batches?limit=1&after=${first.next}`);
    expect([first.batches[0]?.batchId, second.batches[0]?.batchId, second.next, first.total]).toEqual([
      other,
      batchId,
      null,
      2,
    ]);
    expect(second.batches[0]?.ends).toEqual({ complete: 7, incomplete: 0, failed: 0, infra: 1, cancelled: 0 });
    expect((await get<BatchPage>('batches', '/batches?text=CRAFT')).batches).toHaveLength(1);
  });

  test('are as `bench status` has them', async () => {
    const head: BatchHead = await get('batch', '/batches/crafted');
    const {
      runs: _runs,
      waitingFor: _waitingFor,
      next: _next,
      ...document
    } = batchDocument(await db.queries.batchStatus(batchId));
    expect(head.batch).toEqual(document);
    expect(head.faults).toEqual([{ fault: 'infra_error: the engine died', runs: 1, firstRun: runs[1] }]);
    expect(head.exits.reduce((sum, exit) => sum + exit.runs, 0)).toBe(8);
    const one: BatchHead = await get('batch', `/batches/${other}`);
    const { runs: _r, waitingFor: _w, next: _n, ...single } = batchDocument(await db.queries.batchStatus(other));
    expect(one.batch).toEqual(single);
  });

  test('have cells whose sums are those of the batch', async () => {
    const matrix: BatchMatrix = await get('batchMatrix', `/batches/${batchId}/matrix`);
    expect(matrix.models).toEqual([HOSTILE, 'alpha'].sort());
    expect(matrix.cells).toHaveLength(4);
    const status = await db.queries.batchStatus(batchId);
    const sum = (of: (cell: BatchMatrix['cells'][number]) => number): number =>
      matrix.cells.reduce((all, cell) => all + of(cell), 0);
    expect([sum(({ runs: n }) => n), sum(({ ended }) => ended)]).toEqual([status.runs, status.ended]);
    expect(sum(({ costUsd }) => Math.round(Number(costUsd) * 1e6))).toBe(Math.round(Number(status.costUsd) * 1e6));
    const cell = matrix.cells.find(({ model, task: of }) => model === 'alpha' && of === 'one');
    // The first attempt's validate is suspect: its submit counts. The third's validate is best.
    expect(cell).toMatchObject({
      runs: 4,
      ended: 2,
      running: 1,
      waiting: 1,
      faults: 1,
      best: 4,
      bestRun: runs[2],
      suspect: 1,
    });
  });

  test('spend, in buckets, what their calls cost', async () => {
    const spend: BatchSpend = await get('batchSpend', `/batches/${batchId}/spend?buckets=10`);
    expect(spend.buckets).toHaveLength(10);
    expect(spend.buckets.at(-1)!.cumulativeUsd).toBe('0.09');
    expect(spend.buckets.at(-1)).toMatchObject({ ended: 8, inFlight: 4 });
  });

  test('have events in pages', async () => {
    const { events } = await get<{ events: { detail: string }[] }>('batchEvents', `/batches/${batchId}/events`);
    expect(events).toMatchObject([{ detail: HOSTILE }]);
    expect((await get<{ events: unknown[] }>('batchEvents', `/batches/${other}/events`)).events).toEqual([]);
    expect(
      (await get<{ events: unknown[] }>('runEvents', `/runs/${runs[0]}/events?kind=sandbox_reaped`)).events,
    ).toEqual([]);
  });
});

test('hosts, leases and limits are those of the command line', async () => {
  expect(await get('hosts', '/hosts')).toEqual({ hosts: await db.queries.hosts() });
  expect(await get('leases', '/leases')).toEqual({ leases: [], waiting: [] });
  expect(await get('limits', '/limits')).toEqual({ accounts: [] });
});

test('leaderboards are those of `bench leaderboard`, each figure with the runs behind it', async () => {
  const query = 'include=scripted';
  const board = await get<Leaderboard>('leaderboard', `/leaderboard?${query}`);
  expect(board).toEqual(
    JSON.parse(JSON.stringify(await db.queries.leaderboard({ newest: true, include: ['scripted'], intervals: true }))),
  );
  const row = board.rows.find(({ model }) => model === 'alpha')!;
  const of = `model=alpha&kind=${row.kind}&isolation=${row.isolation}&task=one`;
  const { runs: behind } = await get<{ runs: LeaderboardRun[] }>('leaderboardCell', `/leaderboard/cell?${query}&${of}`);
  expect(behind.filter(({ counted }) => counted)).toHaveLength(row.scores['one']!.counted);
  expect(behind.find(({ runId }) => runId === row.scores['one']!.bestRun)?.best).toBe(row.scores['one']!.best);
  expect(await get('comparisons', '/comparisons')).toEqual({ comparisons: [] });
  expect((await ask('/comparisons/none')).status).toBe(404);
});
