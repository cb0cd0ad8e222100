import { once } from 'node:events';
import { createWriteStream, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importMlgym, type MlgymImport } from '../../operations/records/import/import-mlgym.js';
import { findRunDirectories } from '../../operations/records/import/run-directories.js';
import { type Database, openDatabase } from '../../db/index.js';
import { type InventedRun, publishedRunDirectories, writeRunDirectory } from '../setup/run-directories.js';
import { sharedDatabases } from '../setup/shared-databases.js';
import type { DirectoryResult } from '../../domain/views/imports.js';

const postgres = sharedDatabases();
let db: Database;
const folders: string[] = [];

beforeAll(async () => {
  db = openDatabase(await postgres.createDatabase());
});
afterAll(async () => {
  await db.close();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'bench-import-'));
  folders.push(made);
  return made;
}

let batches = 0;
const options = (more: Partial<MlgymImport> = {}): MlgymImport => ({
  batch: `imported-${++batches}`,
  tasks: {},
  dryRun: false,
  ...more,
});

async function imported(paths: string[], more: Partial<MlgymImport> = {}): Promise<DirectoryResult[]> {
  return importMlgym(db.imports, await findRunDirectories(paths), options(more));
}

async function one(run: InventedRun, more: Partial<MlgymImport> = {}): Promise<DirectoryResult> {
  const [result] = await imported([writeRunDirectory(folder(), run)], more);
  if (result === undefined) throw new Error('nothing was imported');
  return result;
}

const kinds = (result: DirectoryResult) => result.remarks.map(({ file, key, kind }) => [file, key, kind]);

const TABLES = [
  'batches',
  'runs',
  'steps',
  'model_calls',
  'evaluations',
  'task_versions',
  'baselines',
  'agent_configs',
  'imports',
];

/** Of every row of every table: two equal digests are two equal databases. */
async function digest(database: Database = db): Promise<string[]> {
  return Promise.all(
    TABLES.map(async (table) => {
      const { rows } = await database.pool.query<{ digest: string }>(
        `select count(*) || ':' || coalesce(md5(string_agg(md5(t::text), '' order by md5(t::text))), '') as digest from ${table} t`,
      );
      return `${table} ${rows[0]?.digest ?? ''}`;
    }),
  );
}

describe('importing run directories of MLGym', () => {
  it('stores a run as any other, marked as MLGym’s', async () => {
    const result = await one({
      args: 'environment:\n  max_steps: 50\n  seed: 7\nagent:\n  model:\n    api_key: sk-1\n',
    });
    expect(result).toMatchObject({ outcome: 'imported', steps: 3, remarks: [] });
    const run = await db.queries.showRun(result.runId ?? '');
    expect(run).toMatchObject({
      origin: 'mlgym',
      model: 'model-a',
      modelKind: 'real',
      task: 'blotto',
      contract: 0,
      attempt: 1,
      seed: 7,
      maxSteps: 50,
      status: 'ended',
      endReason: 'submit',
      finalEvaluation: 'ok',
      exitStatus: 'submitted',
      steps: 3,
      primary: 'Score',
      direction: 'maximize',
      baseline: -0.25,
      bestScore: 0.2,
      finalScore: 0.2,
      costUsd: '0',
      recordedCostUsd: '0.125',
      modelCalls: 3,
      usage: { inputTokens: 1000, outputTokens: 50 },
      sampling: { temperature: 0, topP: 0.95 },
      isolation: 'container',
      startedAt: null,
      endedAt: null,
      workspace: '/home/agent/workspace',
    });
    expect(run.evaluationList.map(({ step, kind, status, primary }) => [step, kind, status, primary])).toEqual([
      [2, 'validate', 'ok', 0.1],
      [3, 'submit', 'ok', 0.2],
    ]);
    const steps = await db.queries.trajectory(run.runId);
    expect(
      steps.map(({ action, requested, commandMs, workingDir }) => [action, requested, commandMs, workingDir]),
    ).toEqual([
      ['ls', null, 250, '/home/agent/workspace'],
      ['validate', 'validate', 250, '/home/agent/workspace'],
      ['submit', 'submit', 250, null],
    ]);
    const { rows } = await db.pool.query<{ args: unknown }>('select args from imports where run_id = $1', [run.runId]);
    expect(JSON.stringify(rows)).not.toContain('sk-1');
    await expect(db.store.definition(run.runId)).rejects.toThrow(/was imported/);
    expect((await db.queries.batchStatus(run.batchId)).status).toBe('ended');
    expect(await db.queries.unfinishedRuns()).toBe(0);
  });

  it('changes nothing the second time, and tells of a directory that has changed', async () => {
    const at = folder();
    const path = writeRunDirectory(at, {});
    const first = options();
    await imported([at], first);
    const before = await digest();
    expect((await imported([path], first)).map(({ outcome }) => outcome)).toEqual(['existing']);
    expect((await imported([path])).map(({ outcome }) => outcome)).toEqual(['existing']);
    writeRunDirectory(at, { scores: [{ Score: 0.1 }, { Score: 0.27 }] });
    const [changed] = await imported([path], first);
    expect(changed).toMatchObject({ outcome: 'changed', remarks: [{ kind: 'changed', level: 'error' }] });
    expect(await digest()).toEqual(before);
  });

  it('keeps nothing of a dry run', async () => {
    const before = await digest();
    expect(await one({ model: 'dry' }, { dryRun: true })).toMatchObject({ outcome: 'imported', steps: 3 });
    expect(await digest()).toEqual(before);
  });

  it('goes on where it was interrupted', async () => {
    const at = folder();
    for (let index = 0; index < 4; index += 1) writeRunDirectory(at, { model: 'resumed', index });
    const into = options();
    const stop = new AbortController();
    const first = await imported([at], {
      ...into,
      signal: stop.signal,
      onDirectory: (_, number) => {
        if (number === 2) stop.abort();
      },
    });
    expect(first).toHaveLength(2);
    expect((await imported([at], into)).map(({ outcome }) => outcome)).toEqual([
      'existing',
      'existing',
      'imported',
      'imported',
    ]);
  });

  it('gives a directory whose attempt is taken the next one, and says so', async () => {
    const at = folder();
    writeRunDirectory(at, { model: 'twice' });
    writeRunDirectory(at, { model: 'twice', settings: 'default__t-0.70__p-0.95__c-4.00__install-0' });
    const [, second] = await imported([at]);
    expect(kinds(second as DirectoryResult)).toEqual([[null, '', 'attempt_taken']]);
    expect((await db.queries.showRun(second?.runId ?? '')).attempt).toBe(2);
  });

  it('takes the first baseline that has the metric, and tells of others', async () => {
    const at = folder();
    const run = { task: 'rlMountainCarContinuous', scores: [{ 'Reward Mean': 40 }] };
    writeRunDirectory(at, { ...run, model: 'a', baseline: { Reward: -0.002 } });
    writeRunDirectory(at, { ...run, model: 'b', baseline: { 'Reward Mean': 33.5 } });
    writeRunDirectory(at, { ...run, model: 'c', baseline: { 'Reward Mean': 34.5 } });
    const results = await imported([at]);
    expect(results.map((result) => kinds(result).at(0)?.at(2))).toEqual([
      'baseline_without_metric',
      undefined,
      'baseline_differs',
    ]);
    expect((await db.queries.showRun(results[0]?.runId ?? '')).baseline).toBe(33.5);
  });

  it('ranks a task that MLGym-Bench does not have only when told how', async () => {
    const run: InventedRun = {
      task: 'rlMountainCarContinuousReinforce',
      scores: [{ Return: 3 }, { Return: 2 }],
      baseline: null,
    };
    const refused = await one(run);
    expect(refused.outcome).toBe('failed');
    expect(refused.remarks[0]?.message).toContain('"rlMountainCarContinuousReinforce=<metric>:max"');
    expect(refused.remarks[0]?.message).toContain('its metrics: Return');
    const tasks = { [run.task ?? '']: { label: 'x', metric: 'Return', direction: 'minimize' as const } };
    const taken = await one(run, { tasks });
    expect(await db.queries.showRun(taken.runId ?? '')).toMatchObject({ bestScore: 2, finalScore: 2, baseline: null });
  });

  it.each<[string, InventedRun, [string | null, string, string]]>([
    [
      'a truncated trajectory',
      { trajectory: '{"environment": "mlgym_main", "trajectory": [{"action": "ls", "observa' },
      ['blotto.traj', 'trajectory[0]', 'truncated'],
    ],
    ['an empty trajectory', { trajectory: '' }, ['blotto.traj', '', 'truncated']],
    ['a trajectory that is no JSON', { trajectory: '{"trajectory": [}' }, ['blotto.traj', '', 'not_json']],
    ['a list in place of an object', { results: '[1, 2]' }, ['results.json', '', 'wrong_type']],
    [
      'another encoding',
      { results: Buffer.from('{"agent": [], "n": "\u00e9"}', 'latin1') },
      ['results.json', '', 'wrong_encoding'],
    ],
    [
      'UTF-16',
      { trajectory: Buffer.from('\ufeff{"trajectory": []}', 'utf16le') },
      ['blotto.traj', '', 'wrong_encoding'],
    ],
    ['truncated results', { results: '{"agent": [{"Score": 1' }, ['results.json', 'agent[0].Score', 'truncated']],
    ['neither file', { trajectory: null, results: null }, [null, '', 'no_files']],
  ])('leaves out a directory with %s, says why, and goes on', async (what, run, remark) => {
    const at = folder();
    writeRunDirectory(at, { model: 'broken', ...run });
    writeRunDirectory(at, { model: 'whole', settings: what.replaceAll(' ', '-') });
    const [broken, whole] = await imported([at]);
    expect(kinds(broken as DirectoryResult)).toEqual([remark]);
    expect([broken?.outcome, whole?.outcome]).toEqual(['failed', 'imported']);
  });

  it('takes NaN for no score, and says where it stands', async () => {
    const result = await one({
      model: 'nan',
      trajectory: null,
      results:
        '{"agent": [{"Score": 0.1}, {"Score": 0.15, "Other": Infinity}, {"Score": NaN}], "baseline": {"Score": -0.25}}',
    });
    expect(kinds(result)).toEqual([
      [null, '', 'no_trajectory'],
      ['results.json', 'agent[1].Other', 'not_a_number'],
      ['results.json', 'agent[2].Score', 'not_a_number'],
    ]);
    const { rows } = await db.pool.query('select best_attempt, last_attempt from run_scores where run_id = $1', [
      result.runId,
    ]);
    expect(rows).toEqual([{ best_attempt: 0.15, last_attempt: 0.15 }]);
    expect(await db.queries.showRun(result.runId ?? '')).toMatchObject({
      endReason: 'unknown',
      finalEvaluation: 'not_run',
      steps: 0,
    });
  });

  it('does not take token counts that nobody wrote down for 0', async () => {
    await db.pool.query(
      `insert into price_lists (list, model, input_usd, output_usd) values ('by-tokens', 'tokens', 1, 1)`,
    );
    const counted = async (stats: object | null) => {
      const whole = writeRunDirectory(folder(), { model: 'tokens' });
      const document = JSON.parse(readFileSync(join(whole, 'blotto.traj'), 'utf8')) as { info: object };
      Object.assign(document.info, { model_stats: stats });
      const result = await one({ model: 'tokens', trajectory: JSON.stringify(document) });
      const runId = result.runId ?? '';
      const { rows } = await db.pool.query(
        `select input_tokens::int as sent, output_tokens::int as received, list_usd::float8 as list, recorded_usd::float8 as recorded
         from run_costs('by-tokens') where run_id = $1`,
        [runId],
      );
      const { flags } = await db.queries.showRun(runId);
      return [rows[0] as unknown, flags.map(({ rule }) => rule).filter((rule) => rule !== 'untouched_starter')];
    };
    const cost = { total_cost: 0.5, api_calls: 3 };
    const unknown = { sent: null, received: null, list: null };
    expect(await counted(null)).toEqual([{ ...unknown, recorded: null }, []]);
    expect(await counted(cost)).toEqual([{ ...unknown, recorded: 0.5 }, []]);
    expect(await counted({ ...cost, tokens_sent: 0 })).toEqual([{ ...unknown, sent: 0, recorded: 0.5 }, []]);
    expect(await counted({ ...cost, tokens_sent: 1e6, tokens_received: 0 })).toEqual([
      { sent: 1_000_000, received: 0, list: 1, recorded: 0.5 },
      [],
    ]);
    const none = { tokens_sent: 0, tokens_received: 0 };
    expect(await counted(none)).toEqual([{ sent: 0, received: 0, list: 0, recorded: null }, ['no_model_call']]);
  });

  it('tells of missing keys and takes the rest', async () => {
    const whole = writeRunDirectory(folder(), {});
    const document = JSON.parse(readFileSync(join(whole, 'blotto.traj'), 'utf8')) as {
      trajectory: Record<string, unknown>[];
      info: Record<string, unknown>;
      history?: unknown;
    };
    delete document.trajectory[1]?.['thought'];
    delete document.info['exit_status'];
    delete document.history;
    const result = await one({
      model: 'gaps',
      trajectory: JSON.stringify(document),
      results: '{"baseline": {"Score": -0.25}}',
    });
    expect(result.outcome).toBe('imported');
    expect(kinds(result)).toEqual([
      ['blotto.traj', 'trajectory[1].thought', 'missing_key'],
      ['blotto.traj', 'history', 'missing_key'],
      ['blotto.traj', 'info.exit_status', 'missing_key'],
      ['results.json', 'agent', 'missing_key'],
      [null, 'trajectory', 'evaluation_not_located'],
    ]);
    expect((await db.queries.showRun(result.runId ?? '')).bestScore).toBe(0.2);
  });

  it('keeps the head and the tail of an observation of 50 MB, in little memory', async () => {
    const path = writeRunDirectory(folder(), { model: 'huge', observation: (step) => (step === 1 ? '@@' : 'done') });
    const file = join(path, 'blotto.traj');
    const [before = '', after = ''] = readFileSync(file, 'utf8').replace('"content":"@@"', '"content":""').split('@@');
    const stream = createWriteStream(file);
    stream.write(`${before}BEGIN`);
    const piece =
      String.raw`a line of some program's output, as long as such lines are: 100 % of \"é\" \u00e9 done\n`.repeat(
        10_000,
      );
    for (let written = 0; written < 50e6; written += Buffer.byteLength(piece))
      if (!stream.write(piece)) await once(stream, 'drain');
    await new Promise<void>((resolve) => stream.end(`END${after}`, () => resolve()));
    const rss = process.memoryUsage.rss();
    let peak = rss;
    const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 20);
    const [result] = await imported([path]).finally(() => clearInterval(watch));
    expect(result?.outcome).toBe('imported');
    expect(kinds(result as DirectoryResult)).toEqual([['blotto.traj', 'trajectory[0].observation', 'clipped']]);
    const [step] = await db.queries.trajectory(result?.runId ?? '');
    expect(step?.observation).toMatch(/^BEGIN[\s\S]*\n\[\.\.\. \d+ bytes of output not shown \.\.\.\]\n[\s\S]*END$/);
    expect(Buffer.byteLength(step?.observation ?? '')).toBeLessThan(132_000);
    expect(step?.outputBytes).toBeGreaterThan(30e6);
    expect(peak - rss).toBeLessThan(150e6);
  });
});

describe('an imported run that wrote to its evaluator', () => {
  const UPDATED = '[File: x (1 lines total)]\n1:x = 1\nFile updated. Please review the changes.';
  const EDIT = 'edit 1:1\nx = 1\nend_of_edit';
  const at = (file: string) => `/home/agent/workspace/${file}`;
  // MLGym notes the open file before each action: `open` and `create` show at the next step.
  it.each<[string, string, string[], string[], (string | null)[]]>([
    [
      'with the editor',
      UPDATED,
      ['open evaluate.py', EDIT, 'submit'],
      ['n/a', at('evaluate.py'), at('evaluate.py')],
      [at('evaluate.py'), 'protected_write 2', 'untouched_starter 3'],
    ],
    [
      'with its last action',
      UPDATED,
      ['open target.py', EDIT],
      ['n/a', at('target.py')],
      [at('target.py'), 'protected_write 2', 'untouched_starter 2'],
    ],
    ['from the shell', 'done\n', ['echo 1 > evaluate.py', 'submit'], ['n/a', 'n/a'], [null, 'protected_write 1']],
    [
      'but was refused',
      `Error: You cannot edit read-only file ${at('evaluate.py')}`,
      ['open evaluate.py', EDIT, 'submit'],
      ['n/a', at('evaluate.py'), at('evaluate.py')],
      [at('evaluate.py'), 'untouched_starter 3'],
    ],
    [
      'but in another file that it opened after',
      UPDATED,
      ['open evaluate.py', 'open strategy.py', EDIT, 'submit'],
      ['n/a', at('evaluate.py'), at('strategy.py'), at('strategy.py')],
      [at('evaluate.py')],
    ],
  ])('%s', async (what, observation, actions, open, [openFile, ...flags]) => {
    const result = await one({
      ...{ model: `sly ${what}`.replaceAll(' ', '-'), actions, scores: [{ Score: 0.2 }] },
      observation: () => observation,
      openFile: (step) => open[step - 1] ?? 'n/a',
    });
    const [first] = await db.queries.trajectory(result.runId ?? '');
    expect(first?.toolState?.openFile ?? null).toBe(openFile);
    const { flags: found, evaluationList } = await db.queries.showRun(result.runId ?? '');
    expect(found.map(({ rule, step }) => `${rule} ${step}`)).toEqual(flags);
    // Kept as it was recorded; the leaderboard leaves it out.
    expect(evaluationList).toHaveLength(1);
    const { rows } = await db.pool.query('select best_attempt from run_scores where run_id = $1', [result.runId]);
    // The untouched starter counts as the baseline.
    const counts = flags.length === 0 ? 0.2 : flags.every((flag) => flag?.startsWith('untouched')) ? -0.25 : null;
    expect(rows).toEqual([{ best_attempt: counts }]);
  });
});

const published = publishedRunDirectories();

interface PublishedRun {
  dir: string;
  exit_status: string | null;
  n_steps: number | null;
  action_heads: string[] | null;
  model: string;
  task: string;
  run_index: number;
  scores: unknown;
  baseline: unknown;
  submission: string | null;
  model_stats: unknown;
  n_history: number | null;
}

/** The same runs as somebody else read them. */
const publishedRuns = (): PublishedRun[] =>
  gunzipSync(readFileSync(join(published[0] ?? '', '../../runs.jsonl.gz')))
    .toString()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as PublishedRun);

describe.runIf(published.length > 0)('the published run directories', () => {
  it('are imported as their documentation says, and the second time change nothing', async () => {
    const url = await postgres.createDatabase();
    const own = openDatabase(url);
    try {
      const directories = await findRunDirectories(published);
      const results = await importMlgym(own.imports, directories, { batch: 'published', tasks: {}, dryRun: false });
      expect(results.map(({ outcome }) => outcome)).toEqual(published.map(() => 'imported'));
      const before = await digest(own);
      const again = await importMlgym(own.imports, directories, { batch: 'published', tasks: {}, dryRun: false });
      expect(again.map(({ outcome }) => outcome)).toEqual(published.map(() => 'existing'));
      expect(await digest(own)).toEqual(before);
      const { rows } = await own.pool.query<PublishedRun>(
        `select i.source as dir, r.model_name as model, r.task_id as task, r.attempt - 1 as run_index, i.raw_exit_status as exit_status,
           i.submission, i.baseline, i.model_stats, i.history_messages as n_history, r.step as n_steps,
           (select array_agg(substring(s.action from '\\S+') order by s.step) from steps s where s.run_id = r.run_id) as action_heads,
           (select coalesce(json_agg(e.metrics order by e.number), '[]') from evaluations e
             where e.run_id = r.run_id and e.status = 'ok') as scores
         from runs r join imports i on i.run_id = r.run_id order by i.source`,
      );
      const expected = new Map(publishedRuns().map((run) => [run.dir, run]));
      for (const run of rows) {
        const known = expected.get(run.dir);
        const recorded = known?.n_steps != null;
        expect(run).toMatchObject({
          ...Object.fromEntries(
            ['model', 'task', 'run_index', 'baseline', 'scores', 'submission', 'model_stats', 'n_history'].map(
              (key) => [key, known?.[key as keyof PublishedRun]],
            ),
          ),
          exit_status: recorded ? known.exit_status : null,
          n_steps: known?.n_steps ?? 0,
          action_heads: recorded ? known.action_heads?.map((head) => head.slice(0, 40)) : null,
        });
      }
      // What the reports count: an empty status is told by the last action of the history.
      expect(rows.filter(({ exit_status }) => exit_status === '')).toHaveLength(1);
      const { rows: ends } = await own.pool.query<{ end: string; runs: number }>(
        `select end_reason || ' ' || final_evaluation as "end", count(*)::int as runs from runs where exit_status like 'unknown\\_error (%' group by 1`,
      );
      expect(ends).toEqual([{ end: 'runtime not_run', runs: 2 }]);
    } finally {
      await own.close();
    }
  });
});

describe('what an import is told to look at', () => {
  it('is found through links, each once, though they lead in circles', async () => {
    const root = folder();
    const path = writeRunDirectory(join(root, 'kept'), { model: 'linked' });
    symlinkSync(path, join(root, basename(path)));
    symlinkSync(root, join(root, 'again'));
    symlinkSync(join(root, 'nowhere'), join(root, 'broken'));
    const single = join(root, 'metagen-single__blotto__default_run_0');
    mkdirSync(single);
    symlinkSync(join(path, 'blotto.traj'), join(single, 'blotto.traj'));
    const found = await findRunDirectories([root]);
    expect(found.map(({ source, trajectory }) => [source, trajectory])).toEqual([
      [basename(path), 'blotto.traj'],
      ['metagen-single__blotto__default_run_0', 'blotto.traj'],
    ]);
  });

  it('is told when another batch holds it already', async () => {
    const path = writeRunDirectory(folder(), { model: 'in-two' });
    const into = async (batch: string) =>
      importMlgym(db.imports, await findRunDirectories([path]), { batch, tasks: {}, dryRun: false });
    const [first] = await into('one');
    expect(first).toMatchObject({ outcome: 'imported', remarks: [] });
    expect(await into('one')).toMatchObject([{ outcome: 'existing', remarks: [] }]);
    expect(await into('two')).toMatchObject([
      {
        outcome: 'existing',
        runId: first!.runId,
        remarks: [{ kind: 'in_other_batch', message: expect.stringContaining('batch one') as unknown }],
      },
    ]);
  });

  it('costs what it is said to cost', async () => {
    await db.imports.setPrices('mlgym', { priced: { input: 2, output: 10 }, other: { input: 1, output: 1 } });
    await db.imports.setPrices('mlgym', { priced: { input: 4, output: 20 } });
    const path = writeRunDirectory(folder(), { model: 'priced' });
    const [done] = await importMlgym(db.imports, await findRunDirectories([path]), {
      batch: 'priced',
      tasks: {},
      dryRun: false,
    });
    const { rows } = await db.pool.query(`select list_usd::float8 as cost from run_costs('mlgym') where run_id = $1`, [
      done!.runId,
    ]);
    // 1,000 tokens in, 50 out.
    expect(rows).toEqual([{ cost: 0.005 }]);
  });

  it('has the scores of a validate at the end of other commands at its step', async () => {
    const path = writeRunDirectory(folder(), {
      model: 'chained',
      actions: ['ls', 'python baseline.py && validate', 'edit 1:1\nx\nend_of_edit', 'validate', 'submit'],
      observation: (step) =>
        step === 2 || step === 4 ? 'Your code produced a valid submission artefact at x.\n' : 'done\n',
      scores: [{ Score: 0.1 }, { Score: 0.2 }, { Score: 0.2 }],
    });
    const [done] = await importMlgym(db.imports, await findRunDirectories([path]), {
      batch: 'chained',
      tasks: {},
      dryRun: false,
    });
    expect(done?.remarks).toEqual([]);
    const { rows } = await db.pool.query('select step from evaluations where run_id = $1 order by number', [
      done!.runId,
    ]);
    expect(rows).toEqual([{ step: 2 }, { step: 4 }, { step: 5 }]);
  });
});
