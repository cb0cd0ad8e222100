import { createWriteStream, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../db/index.js';
import { homeLayout } from '../../domain/home/layout.js';
import type { DirectoryResult, ImportDocument } from '../../domain/views/imports.js';
import { agentConfigSchema } from '../../domain/agent/config.js';
import { exportBatch } from '../../operations/records/export/export-batch.js';
import { importExchanged } from '../../operations/records/import/exchange/import-exchanged.js';
import { type PlayedOptions, playedRun } from '../fixtures/exchanged-runs.js';
import { readZip } from '../setup/read-zip.js';
import { LONG } from '../setup/long.js';
import { sharedDatabases } from '../setup/shared-databases.js';
import { type Packing, writeZip } from '../setup/write-zip.js';

const server = sharedDatabases();
let here: Database;
let there: Database;
const folder = mkdtempSync(join(tmpdir(), 'bench-exchange-in-'));
beforeAll(async () => {
  here = openDatabase(await server.createDatabase());
  there = openDatabase(await server.createDatabase());
});
afterAll(async () => {
  await here.close();
  await there.close();
  rmSync(folder, { recursive: true });
});
const bench = (db: Database) => ({
  ...db,
  database: () => Promise.resolve(db),
  databaseUrl: () => Promise.resolve(''),
  settings: { layout: homeLayout(folder) },
});

let files = 0;
const place = (end: string) => join(folder, String(++files), end);
function written(end: string, content: string | Buffer): string {
  const path = place(end);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  return path;
}

async function take(
  format: 'atif' | 'inspect',
  path: string,
  more: { task?: string; dryRun?: boolean; batch?: string } = {},
): Promise<ImportDocument> {
  return importExchanged(
    bench(there),
    format,
    [path],
    { batch: `batch-${files}`, dryRun: false, ...more },
    { signal: new AbortController().signal, onFound: () => undefined, onDirectory: () => undefined },
  );
}
async function one(format: 'atif' | 'inspect', path: string, more: { task?: string } = {}): Promise<DirectoryResult> {
  const { results } = await take(format, path, more);
  expect(results).toHaveLength(1);
  return results[0]!;
}
const said = ({ remarks }: DirectoryResult) => remarks.map(({ file, key, kind }) => [file, key, kind]);

/** Of a run what must be the same wherever it is. */
async function recorded(db: Database, runId: string) {
  const { costUsd, recordedCostUsd, ...run } = await db.queries.showRun(runId);
  const steps = await db.queries.trajectory(runId);
  const { rows: calls } = await db.pool.query(
    `select step, try, attempt, status, response, tool_calls, finish_reason, input_tokens, output_tokens, cached_tokens, reasoning_tokens,
       trim_scale(cost_usd)::text as cost, ms from model_calls where run_id = $1 order by step, try, attempt`,
    [runId],
  );
  const picked = (({
    model,
    task,
    attempt,
    seed,
    status,
    endReason,
    finalEvaluation,
    steps: count,
    maxSteps,
    primary,
    direction,
    bestScore,
    finalScore,
    usage,
    sampling,
    agent,
    provider,
    providerModel,
    startedAt,
    endedAt,
  }) => ({
    ...{
      model,
      task,
      attempt,
      seed,
      status,
      endReason,
      finalEvaluation,
      count,
      maxSteps,
      primary,
      direction,
      bestScore,
      finalScore,
    },
    ...{ usage, sampling, agent, provider, providerModel, startedAt, endedAt },
  }))(run);
  const scores = run.evaluationList.map(({ step, kind, split, number, status, metrics, primary, message }) => ({
    step,
    kind,
    split,
    number,
    status,
    metrics,
    primary,
    message,
  }));
  return {
    ...picked,
    cost: Number(recordedCostUsd ?? costUsd),
    ...{ scores, calls },
    steps: steps.map(({ evaluations: _, endpoint: __, copied: ___, ...step }) => step),
  };
}

/** Ids and places are new where a run is imported; the rest of a document is not. */
function withoutIds(text: string): unknown {
  const ids = new Set([
    'run_id',
    'batch_id',
    'batch',
    'session_id',
    'trajectory_id',
    'hash',
    'contract',
    'origin',
    'uuid',
    'at',
    'eval_id',
    'task_id',
  ]);
  return JSON.parse(text, (key, value: unknown) => {
    if (ids.has(key) || key.endsWith('_hash')) return undefined;
    if (
      [
        'evaluations',
        'created_at',
        'isolation',
        'status',
        'evaluation',
        'tool_definitions',
        'tools',
        'created',
        'fault',
      ].includes(key)
    )
      return undefined;
    return typeof value === 'string' ? value.replace(/r-[0-9a-z]{26}|\b[0-9a-z]{12}\.(?=[ps]\d)/g, 'r') : value;
  });
}

const demonstrated = agentConfigSchema.parse({
  ...{ schema: 1, description: 'An agent that is shown how.', systemTemplate: 'You are shown how.' },
  ...{ taskTemplate: 'Task: {{ task.description }}', nextStepTemplate: '{{ observation }}', putDemosInHistory: true },
  demonstrations: [1, 2].map((n) => ({
    source: `${n}.traj`,
    messages: [
      { role: 'user', content: `example ${n}` },
      { role: 'assistant', content: '```bash\nls\n```' },
      { role: 'user', content: 'answer.py' },
      { role: 'assistant', content: '```bash\nsubmit\n```' },
    ],
  })),
});
const KINDS: [string, PlayedOptions][] = [
  ['writes commands into its text', { steps: 5, refused: [2, 3] }],
  ['calls tools', { steps: 5, tools: true }],
  ['has demonstrations in its history', { steps: 4, over: { agent: demonstrated } }],
  ['prints what JSON must escape', { steps: 2, observation: () => '"\\ \u2028 \ud83d\ude00 \u0007 \t é\r\n' }],
];

describe('a run that is exported and imported again', () => {
  for (const format of ['atif', 'inspect'] as const)
    for (const [what, options] of KINDS)
      test(`as ${format} is the same, step for step, where its agent ${what}`, async () => {
        const { runId } = await playedRun(here, options);
        const path = place(format === 'atif' ? 'run.json' : 'run.eval');
        mkdirSync(dirname(path), { recursive: true });
        await exportBatch(bench(here), runId, { format, output: path });
        const result = await one(format, path);
        expect(result.remarks).toEqual([]);
        expect(result).toMatchObject({
          outcome: 'imported',
          source: format === 'atif' ? 'run.json' : 'run.eval: samples/t_epoch_1.json',
        });
        const there_ = await recorded(there, result.runId!);
        expect(there_).toEqual(await recorded(here, runId));
        expect((await there.queries.showRun(result.runId!)).origin).toBe('import');
        // And once more: another home's copy says the same.
        const again = `${path}.again`;
        await exportBatch(bench(there), result.runId!, { format, output: again });
        const texts = async (file: string) =>
          format === 'atif'
            ? [readFileSync(file, 'utf8')]
            : (await readZip(readFileSync(file)))
                .filter(({ name }) => name.startsWith('samples/'))
                .map(({ text }) => text);
        expect((await texts(again)).map(withoutIds)).toEqual((await texts(path)).map(withoutIds));
        expect((await take(format, path)).existing).toBe(1);
      });

  test('as atif is the same where it is a fork, or has no step: copied steps of our own are its steps', async () => {
    const from = await playedRun(here, { steps: 2 });
    const fork = await playedRun(here, { steps: 3, over: { forkedFrom: { runId: from.runId, step: 1 } } });
    const empty = await playedRun(here, { steps: 0 });
    for (const [{ runId }, steps] of [
      [fork, 3],
      [empty, 0],
    ] as const) {
      const path = place('fork.json');
      mkdirSync(dirname(path), { recursive: true });
      await exportBatch(bench(here), runId, { format: 'atif', output: path });
      expect(await one('atif', path)).toMatchObject({ outcome: 'imported', steps, remarks: [] });
    }
  });

  test('is in no leaderboard unless it is asked for', async () => {
    const { runId } = await playedRun(here);
    const path = place('ranked.json');
    mkdirSync(dirname(path), { recursive: true });
    await exportBatch(bench(here), runId, { format: 'atif', output: path });
    const { runId: imported } = await one('atif', path);
    const { rows } = await there.pool.query('select isolation from score_runs(true) where run_id = $1', [imported]);
    expect(rows).toEqual([{ isolation: 'import' }]);
  });
});

const agentStep = (id: number, more: object = {}) => ({
  ...{ step_id: id, source: 'agent', message: `step ${id}`, timestamp: `2026-03-01T12:00:0${id}Z` },
  tool_calls: [{ tool_call_id: `c${id}`, function_name: 'bash', arguments: { command: `echo ${id}` } }],
  observation: { results: [{ source_call_id: `c${id}`, content: `said ${id}` }] },
  metrics: { prompt_tokens: 100, completion_tokens: 10, cached_tokens: 40, cost_usd: 0.001 },
  ...more,
});
const trajectory = (more: object = {}) => ({
  ...{
    schema_version: 'ATIF-v1.6',
    session_id: 's1',
    agent: { name: 'terminus-2', version: '2.0', model_name: 'openai/gpt-5' },
  },
  steps: [{ step_id: 1, source: 'user', message: 'Do it.' }, agentStep(2), agentStep(3)],
  final_metrics: {
    total_prompt_tokens: 200,
    total_completion_tokens: 20,
    total_cached_tokens: 80,
    total_cost_usd: 0.002,
  },
  ...more,
});

describe('a trajectory of another tool', () => {
  test('is a run with its steps, tokens and costs, and beside it in a trial folder of Harbor its score', async () => {
    const path = written('agent/trajectory.json', JSON.stringify(trajectory()));
    writeFileSync(
      join(dirname(path), '../result.json'),
      JSON.stringify({ task_name: 'hello-world', verifier_result: { rewards: { reward: 1, other: 0.5 } } }),
    );
    const result = await one('atif', dirname(dirname(path)));
    expect(result).toMatchObject({ outcome: 'imported', steps: 2, remarks: [] });
    const run = await there.queries.showRun(result.runId!);
    expect(run).toMatchObject({
      ...{
        origin: 'import',
        task: 'hello-world',
        model: 'openai/gpt-5',
        agent: 'terminus-2',
        endReason: 'submit',
        finalScore: 1,
      },
      ...{
        usage: { inputTokens: 200, outputTokens: 20, cachedTokens: 80 },
        recordedCostUsd: '0.002',
        primary: 'reward',
      },
    });
    expect(
      (await there.queries.trajectory(result.runId!)).map(({ action, observation, inputTokens }) => [
        action,
        observation,
        inputTokens,
      ]),
    ).toEqual([
      ['echo 2', 'said 2', 100],
      ['echo 3', 'said 3', 100],
    ]);
  });

  test('is the same run to another home, though nobody recorded how long its evaluation took', async () => {
    const path = written('agent/trajectory.json', JSON.stringify(trajectory({ session_id: 'twice' })));
    writeFileSync(
      join(dirname(path), '../result.json'),
      JSON.stringify({ task_name: 'hello-world', verifier_result: { rewards: { reward: 1 } } }),
    );
    const { runId } = await one('atif', dirname(dirname(path)));
    const output = place('again.json');
    mkdirSync(dirname(output), { recursive: true });
    await exportBatch(bench(there), runId!, { format: 'atif', output });
    const again = await one('atif', output);
    expect(again).toMatchObject({ outcome: 'imported', remarks: [] });
    const run = await there.queries.showRun(again.runId!);
    expect(run).toMatchObject({ limits: null, finalScore: 1, evaluationList: [{ ms: null }] });
  });

  test('has each difference told with its place', async () => {
    const steps = [
      {
        step_id: 1,
        source: 'user',
        message: [
          { type: 'text', text: 'See' },
          { type: 'image', source: { path: 'a.png' } },
        ],
      },
      agentStep(2, { metrics: { prompt_tokens: -4, cost_usd: 'free' }, mood: 'good' }),
      { step_id: 4, source: 'user', message: 'Go on.' },
      agentStep(4),
    ];
    const result = await one('atif', written('odd.json', JSON.stringify(trajectory({ steps, surprise: 1 }))), {
      task: 'odd',
    });
    expect(result.outcome).toBe('imported');
    expect(said(result)).toEqual([
      ['odd.json', 'surprise', 'unknown_key'],
      ['odd.json', 'steps[0].message', 'part_left_out'],
      ['odd.json', 'steps[1].mood', 'unknown_key'],
      ['odd.json', 'steps[1].metrics.prompt_tokens', 'not_a_number'],
      ['odd.json', 'steps[1].metrics.cost_usd', 'not_a_number'],
      ['odd.json', 'steps[2].step_id', 'step_order'],
      ['odd.json', 'steps[2]', 'message_in_observation'],
      ['odd.json', 'final_metrics.total_prompt_tokens', 'totals_differ'],
      ['odd.json', 'final_metrics.total_completion_tokens', 'totals_differ'],
      ['odd.json', 'final_metrics.total_cached_tokens', 'totals_differ'],
      ['odd.json', '', 'no_score'],
    ]);
    const [first] = await there.queries.trajectory(result.runId!);
    expect(first?.observation).toBe('said 2\nGo on.');
  });

  test('whose cost nothing tells has none, rather than one of $0', async () => {
    const free = { metrics: { prompt_tokens: 1 } };
    const costing = async (steps: object[], final: object) => {
      const result = await one(
        'atif',
        written('cost.json', JSON.stringify(trajectory({ steps, final_metrics: final }))),
      );
      const { recordedCostUsd } = await there.queries.showRun(result.runId!);
      return [recordedCostUsd, said(result).filter(([, key]) => key !== '')];
    };
    const unusable = ['cost.json', 'final_metrics.total_cost_usd', 'not_a_number'];
    expect(await costing([agentStep(1, free)], {})).toEqual([null, []]);
    expect(await costing([agentStep(1, free)], { total_cost_usd: 'free' })).toEqual([null, [unusable]]);
    expect(await costing([agentStep(1, free), agentStep(2)], { total_cost_usd: 'free' })).toEqual([
      '0.001',
      [unusable],
    ]);
    expect(await costing([agentStep(1, free)], { total_cost_usd: 0 })).toEqual(['0', []]);
  });

  test('has what is not kept of its steps told once, with how often', async () => {
    const lossy = (id: number) => ({
      ...agentStep(id, { reasoning_effort: 'high', llm_call_count: 2, extra: { mood: 'good' } }),
      tool_calls: [{ tool_call_id: 'c', function_name: 'bash', arguments: {}, cost: 1 }],
      observation: { results: [{ source_call_id: 'other', content: 'said', extra: { a: 1 } }], total: 1 },
      metrics: { prompt_tokens: 100, logprobs: [0.5], latency: 3, extra: { b: 1 } },
    });
    const steps = [lossy(1), lossy(2), { step_id: 3, source: 'system', message: 'Now.', observation: { results: [] } }];
    const final = { total_steps: 7, total_mood: 1 };
    const result = await one(
      'atif',
      written('loss.json', JSON.stringify(trajectory({ steps, final_metrics: final, continued_trajectory_ref: 'b' }))),
    );
    expect(said(result)).toEqual([
      ['loss.json', 'continued_trajectory_ref', 'left_out'],
      ['loss.json', 'steps[0].reasoning_effort', 'left_out'],
      ['loss.json', 'steps[0].extra', 'left_out'],
      ['loss.json', 'steps[0].llm_call_count', 'left_out'],
      ['loss.json', 'steps[0].metrics.latency', 'unknown_key'],
      ['loss.json', 'steps[0].metrics.logprobs', 'left_out'],
      ['loss.json', 'steps[0].tool_calls[0].cost', 'unknown_key'],
      ['loss.json', 'steps[0].observation.total', 'unknown_key'],
      ['loss.json', 'steps[0].observation.results[0].source_call_id', 'unknown_call'],
      ['loss.json', 'steps[2]', 'message_in_observation'],
      ['loss.json', 'final_metrics.total_mood', 'unknown_key'],
      ['loss.json', 'final_metrics.total_steps', 'totals_differ'],
      ['loss.json', '', 'no_score'],
      ['loss.json', '', 'left_out'],
    ]);
    expect(result.remarks.find(({ key }) => key === 'steps[0].metrics.logprobs')?.message).toMatch(/2 times/);
  });

  test('has its times as they are, those without a zone in UTC, and none that are no times', async () => {
    const at = (id: number, timestamp: string) => agentStep(id, { timestamp });
    const steps = [
      ...[at(1, '2026-03-01T12:00:00'), at(2, '2026-03-01T13:00:00'), at(3, 'step 7'), at(4, '2026-03-01')],
      ...[at(5, '2026-03-01T11:00:00Z'), at(6, '2026-03-01T14:00:00+02:00')],
    ];
    const result = await one('atif', written('t.json', JSON.stringify(trajectory({ steps, final_metrics: {} }))));
    expect(
      result.remarks.filter(({ key }) => key !== '').map(({ key, kind, message }) => [key, kind, message]),
    ).toEqual([
      ['steps[0].timestamp', 'no_zone', expect.stringContaining('2 times')],
      ['steps[2].timestamp', 'wrong_type', expect.stringContaining('2 times')],
      ['steps[4].timestamp', 'time_order', expect.stringContaining('2 times')],
    ]);
    expect(await there.queries.showRun(result.runId!)).toMatchObject({
      ...{ startedAt: '2026-03-01T11:00:00.000Z', endedAt: '2026-03-01T13:00:00.000Z' },
    });
  });

  test('is found among other JSON in a folder; one of those that is named is refused', async () => {
    const path = written('x/run.json', JSON.stringify(trajectory()));
    const other = join(dirname(path), 'other.json');
    writeFileSync(other, '{"a": 1}');
    writeFileSync(join(dirname(path), 'list.json'), '[1]');
    expect(await take('atif', dirname(path))).toMatchObject({ directories: 1, imported: 1 });
    expect(said(await one('atif', other))).toEqual([['other.json', 'schema_version', 'unknown_version']]);
  });
});

const sampleOf = (more: object = {}) => ({
  ...{
    id: 7,
    epoch: 2,
    uuid: `u${++files}`,
    input: 'What?',
    target: ['42'],
    model_usage: {
      'openai/gpt-5': { input_tokens: 60, output_tokens: 10, total_tokens: 110, input_tokens_cache_read: 40 },
    },
  },
  messages: [
    { role: 'user', content: 'What?' },
    {
      id: 'm1',
      role: 'assistant',
      content: [
        { type: 'reasoning', reasoning: 'Hm.' },
        { type: 'text', text: 'Look.' },
      ],
      tool_calls: [{ id: 'c', function: 'bash', arguments: { cmd: 'attachment://k' } }],
    },
    { role: 'tool', content: 'attachment://k', tool_call_id: 'c' },
    { id: 'm2', role: 'assistant', content: '42' },
  ],
  events: [
    {
      event: 'model',
      output: {
        choices: [{ message: { id: 'm1' } }],
        usage: { input_tokens: 60, output_tokens: 10, input_tokens_cache_read: 40 },
      },
    },
    { event: 'score', intermediate: true, score: { value: 'P' } },
    { event: 'model', output: { choices: [{ message: { id: 'm2' } }] } },
  ],
  scores: { match: { value: 'C' }, other: { value: { a: 1, b: 2 } } },
  attachments: { k: 'a long text' },
  ...more,
});
const header = {
  version: 2,
  status: 'success',
  eval: { created: '2026-03-01T12:00:00Z', task: 'gaia', dataset: {}, model: 'openai/gpt-5', config: {} },
};
const log = (sample: object, packing: Packing = 'deflate', more: [string, string][] = []) =>
  written(
    'l.eval',
    writeZip(
      [['header.json', JSON.stringify(header)], ['samples/7_epoch_2.json', JSON.stringify(sample)], ...more],
      packing,
    ),
  );

describe('a log of Inspect', () => {
  for (const packing of ['stored', 'deflate', 'zstd'] as const)
    test(`packed as ${packing} is a run per sample, with what its texts refer to`, async () => {
      const result = await one('inspect', log(sampleOf(), packing));
      expect(result).toMatchObject({ outcome: 'imported', steps: 2, remarks: [] });
      expect(await there.queries.showRun(result.runId!)).toMatchObject({
        ...{
          task: 'gaia/7',
          attempt: 2,
          model: 'openai/gpt-5',
          endReason: 'submit',
          finalScore: 1,
          bestScore: 1,
          primary: 'match',
        },
        usage: { inputTokens: 100, outputTokens: 10, cachedTokens: 40 },
        evaluationList: [
          { step: 1, kind: 'validate', primary: 0.5 },
          { step: 2, kind: 'submit', metrics: { match: 1, 'other.a': 1, 'other.b': 2 } },
        ],
      });
      expect(
        (await there.queries.trajectory(result.runId!)).map(({ action, thought, observation }) => [
          action,
          thought,
          observation,
        ]),
      ).toEqual([
        ['a long text', 'Hm.', 'a long text'],
        ['', '42', null],
      ]);
    });

  test('counts cached tokens once where an old version had them within the input', async () => {
    const old = { input_tokens: 100, output_tokens: 10, total_tokens: 110, input_tokens_cache_read: 40 };
    const result = await one('inspect', log(sampleOf({ model_usage: { 'openai/gpt-5': old } })));
    expect(await there.queries.showRun(result.runId!)).toMatchObject({
      usage: { inputTokens: 100, outputTokens: 10, cachedTokens: 40 },
    });
  });

  test('takes of a member that is there twice the last', async () => {
    const result = await one(
      'inspect',
      log(sampleOf({ scores: {} }), 'deflate', [
        ['samples/7_epoch_2.json', JSON.stringify(sampleOf({ scores: { match: { value: 0.25 } } }))],
      ]),
    );
    expect((await there.queries.showRun(result.runId!)).finalScore).toBe(0.25);
  });

  test('that was not finished is taken from its journal, and says so; one that failed is no score', async () => {
    const path = written(
      'j.eval',
      writeZip([
        ['_journal/start.json', JSON.stringify(header)],
        ['samples/7_epoch_2.json', JSON.stringify(sampleOf({ scores: undefined, error: { message: 'boom' } }))],
      ]),
    );
    const result = await one('inspect', path);
    expect(said(result)).toEqual([['j.eval', 'header.json', 'missing_key']]);
    expect(await there.queries.showRun(result.runId!)).toMatchObject({
      endReason: 'runtime',
      detail: 'boom',
      finalEvaluation: 'not_run',
    });
  });
});

/** Of every table that imports write to. */
async function digest(): Promise<unknown> {
  const tables = [
    'batches',
    'runs',
    'steps',
    'model_calls',
    'evaluations',
    'task_versions',
    'agent_configs',
    'imports',
  ];
  return Promise.all(
    tables.map(
      async (table) =>
        (
          await there.pool.query(
            `select '${table}' as t, count(*), md5(string_agg(x::text, '' order by x::text)) from ${table} x`,
          )
        ).rows[0] as unknown,
    ),
  );
}

describe('garbage', () => {
  const whole = () =>
    writeZip([
      ['header.json', JSON.stringify(header)],
      ['samples/7_epoch_2.json', JSON.stringify(sampleOf())],
    ]);
  const json = JSON.stringify(trajectory());
  const CASES: [string, 'atif' | 'inspect', () => string, [string, string, string]][] = [
    ['a truncated zip', 'inspect', () => written('g.eval', whole().subarray(0, 300)), ['g.eval', '', 'truncated']],
    ['no zip', 'inspect', () => written('g.eval', 'hello'), ['g.eval', '', 'truncated']],
    [
      'a log without journal',
      'inspect',
      () => written('g.eval', writeZip([['samples/7_epoch_2.json', '{}']])),
      ['g.eval', '_journal/start.json', 'missing_key'],
    ],
    ['an unknown packing', 'inspect', () => log(sampleOf(), 'bzip2'), ['l.eval', 'header.json', 'unknown_kind']],
    [
      'an event without a kind',
      'inspect',
      () => log(sampleOf({ events: [{}] })),
      ['l.eval', 'samples/7_epoch_2.json: events[0].event', 'wrong_type'],
    ],
    [
      'an unknown role',
      'inspect',
      () => log(sampleOf({ messages: [{ role: 'oracle', content: '' }] })),
      ['l.eval', 'samples/7_epoch_2.json: messages[0].role', 'unknown_kind'],
    ],
    [
      'a version that is not known',
      'atif',
      () => written('g.json', json.replace('v1.6', 'v2.0')),
      ['g.json', 'schema_version', 'unknown_version'],
    ],
    [
      'a source that is not known',
      'atif',
      () => written('g.json', json.replace('"user"', '"moon"')),
      ['g.json', 'steps[0].source', 'unknown_kind'],
    ],
    [
      'a trajectory that ends in the middle',
      'atif',
      () => written('g.json', json.slice(0, 500)),
      ['g.json', 'steps[1].metrics.cached_tokens', 'truncated'],
    ],
    [
      'a trajectory without steps',
      'atif',
      () => written('g.json', JSON.stringify(trajectory({ steps: [] }))),
      ['g.json', 'steps', 'missing_key'],
    ],
    ['no trajectory', 'atif', () => written('g.json', '[]'), ['g.json', '', 'wrong_type']],
  ];
  for (const [what, format, file, place_] of CASES)
    test(`${what} is refused in one sentence that names file and key, and nothing of it is stored`, async () => {
      const before = await digest();
      const result = await one(format, file());
      expect(result.outcome).toBe('failed');
      expect(result.remarks).toHaveLength(1);
      const [remark] = result.remarks;
      expect([remark!.file, remark!.key, remark!.kind]).toEqual(place_);
      expect(remark!.message).not.toContain('\n');
      expect(await digest()).toEqual(before);
    });

  test('a damaged member fails alone: other samples of its log, and other logs, are taken', async () => {
    const members = (id: number): [string, string][] => [
      ['header.json', JSON.stringify(header)],
      [`samples/${id}_epoch_1.json`, JSON.stringify(sampleOf({ id, epoch: 1 }))],
      [`samples/${id}_epoch_2.json`, JSON.stringify(sampleOf({ id }))],
    ];
    const damaged = writeZip(members(81));
    damaged.write('Q', damaged.lastIndexOf('PK\u0003\u0004'), 'latin1');
    const path = written('a.eval', damaged);
    writeFileSync(join(dirname(path), 'b.eval'), writeZip(members(82)));
    const { results } = await take('inspect', dirname(path));
    expect(results.map(({ source, outcome, remarks }) => [source, outcome, remarks.map(({ key }) => key)])).toEqual([
      ['a.eval: samples/81_epoch_1.json', 'imported', []],
      ['a.eval: samples/81_epoch_2.json', 'failed', ['samples/81_epoch_2.json']],
      ['b.eval: samples/82_epoch_1.json', 'imported', []],
      ['b.eval: samples/82_epoch_2.json', 'imported', []],
    ]);
  });

  test('NaN is no number and no score: it is told, and the rest is taken', async () => {
    const text = JSON.stringify(sampleOf({ scores: { match: { value: 'NAN' }, other: { value: 0.5 } } })).replace(
      '"NAN"',
      'NaN',
    );
    const path = written(
      'n.eval',
      writeZip([
        ['header.json', JSON.stringify(header)],
        ['samples/7_epoch_2.json', text],
      ]),
    );
    const result = await one('inspect', path);
    expect(said(result)).toEqual([['n.eval', 'samples/7_epoch_2.json: scores.match', 'not_a_number']]);
    expect(await there.queries.showRun(result.runId!)).toMatchObject({ finalScore: null, primary: 'match' });
  });

  /** Long texts in one place of the trajectory; the most memory that their import takes. */
  async function imported(name: string, at: string, text: { count: number; megabytes: number }, between: string) {
    const path = place(name);
    mkdirSync(dirname(path), { recursive: true });
    const [head, tail] = json.split(at) as [string, string];
    const file = createWriteStream(path);
    const piece = 'x'.repeat(1 << 20);
    file.write(`${head}begin`);
    for (let i = 0; i < text.count; i++) {
      if (i > 0) file.write(between);
      for (let j = 0; j < text.megabytes; j++) if (!file.write(piece)) await once(file, 'drain');
    }
    file.end(`end${tail}`);
    await once(file, 'close');
    const rss = process.memoryUsage.rss();
    let peak = rss;
    const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 20);
    const result = await one('atif', path, { task: 'long' }).finally(() => clearInterval(watch));
    const megabytes = Math.round((peak - rss) / 1e6);
    console.info(`${text.count} texts of ${text.megabytes} MB: ${megabytes} MB more memory at most`);
    rmSync(path);
    return { result, megabytes };
  }

  test('a text that is far too long keeps its beginning and its end, in bounded memory', async () => {
    const { result, megabytes } = await imported('long.json', 'said 2', { count: 1, megabytes: LONG ? 2048 : 60 }, '');
    expect(said(result)).toContainEqual(['long.json', 'steps[1].observation.results[0].content', 'clipped']);
    const [step] = await there.queries.trajectory(result.runId!);
    expect(step?.observation).toMatch(/^beginx+\n\[\.\.\. \d+ bytes of output not shown \.\.\.\]\nx+end$/);
    expect(megabytes).toBeLessThan(300);
  });

  test('many long texts in one step are refused in a sentence, in bounded memory', async () => {
    const before = await digest();
    const count = LONG ? 512 : 34;
    const { result, megabytes } = await imported('many.json', 'said 2', { count, megabytes: 4 }, '"}, {"content": "');
    expect(result).toMatchObject({ outcome: 'failed', runId: null });
    expect(result.remarks.map(({ file, key, message }) => [file, key, message])).toEqual([
      ['many.json', 'steps[1].observation.results[31].content', 'more than 128 MB of text in one'],
    ]);
    expect(await digest()).toEqual(before);
    expect(megabytes).toBeLessThan(600);
  });
});
