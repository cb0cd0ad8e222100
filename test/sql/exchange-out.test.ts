import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../db/index.js';
import type { Bench } from '../../operations/bench.js';
import { exportBatch } from '../../operations/records/export/export-batch.js';
import { playedRun } from '../fixtures/exchanged-runs.js';
import { run, submission, task } from '../fixtures/rows.js';
import { type Atif, atifSchema } from '../setup/atif-schema.js';
import { readZip } from '../setup/read-zip.js';
import { sharedDatabases } from '../setup/shared-databases.js';
import { makeEpisodes, storeEpisodes } from './training-episodes.js';
import { LONG } from '../setup/long.js';

const server = sharedDatabases();
let db: Database;
const folder = mkdtempSync(join(tmpdir(), 'bench-exchange-out-'));
beforeAll(async () => {
  db = openDatabase(await server.createDatabase());
});
afterAll(async () => {
  await db.close();
  rmSync(folder, { recursive: true });
});
const bench = () => ({ ...db, database: () => Promise.resolve(db), settings: {} }) as unknown as Bench;
let files = 0;
const target = (end: string) => join(folder, `${++files}${end}`);

async function atif(runId: string): Promise<Atif> {
  const output = target('.json');
  await exportBatch(bench(), runId, { format: 'atif', output });
  return atifSchema.parse(JSON.parse(readFileSync(output, 'utf8')));
}

interface Sample {
  id: string;
  epoch: number;
  uuid: string;
  messages: { id: string; role: string; content: string; tool_calls?: { id: string; arguments: object }[] }[];
  events: (Record<string, unknown> & { event: string })[];
  events_data: { messages: { id: string }[]; calls: unknown[] };
  scores: Record<string, { value: number }>;
  model_usage: Record<string, Record<string, number>>;
  turn_count: number;
  error?: { message: string };
  limit?: { type: string; limit: number };
  metadata: { bench: Record<string, unknown> };
}
interface Log {
  header: Record<string, never> & {
    status: string;
    eval: { model: string; config: { epochs: number }; dataset: { sample_ids: string[] }; scorers: { name: string }[] };
    results: { total_samples: number; scores: { name: string; metrics: { mean: { value: number } } }[] };
  };
  samples: Sample[];
  summaries: { id: string; epoch: number; message_count: number; turn_count: number }[];
  names: string[];
}

async function readLog(path: string): Promise<Log> {
  const members = await readZip(readFileSync(path));
  expect(members.every(({ method }) => method === 8)).toBe(true);
  const of = (name: string): unknown => JSON.parse(members.find((one) => one.name === name)!.text);
  return {
    header: of('header.json') as Log['header'],
    summaries: of('summaries.json') as Log['summaries'],
    samples: members.filter(({ name }) => name.startsWith('samples/')).map(({ text }) => JSON.parse(text) as Sample),
    names: members.map(({ name }) => name),
  };
}

/** What of a message's id is not its run's. */
const place = (id: string) => id.replace(/^[0-9a-z]{12}\./, '');

async function inspectLog(runId: string): Promise<Log> {
  const output = target('.eval');
  await exportBatch(bench(), runId, { format: 'inspect', output });
  return readLog(output);
}

const models = ({ events }: Sample) =>
  events.filter(({ event }) => event === 'model') as unknown as {
    input_refs: [number, number][];
    output: {
      choices: { message: { id: string; content: string }; stop_reason: string }[];
      usage: Record<string, number>;
    };
  }[];

describe('a run as an ATIF trajectory', () => {
  test('has each step with what was said, called, answered and used, and what ATIF cannot hold in extra.bench', async () => {
    const { runId } = await playedRun(db);
    const { steps, extra, final_metrics: final } = await atif(runId);
    expect(steps.map(({ source }) => source)).toEqual(['system', 'user', 'agent', 'agent', 'agent']);
    expect(steps[2]).toMatchObject({
      message: `I do step 1.\n\`\`\`bash\necho "step 1" é \\ '\n\`\`\``,
      tool_calls: [
        { function_name: 'bash', arguments: { command: `echo "step 1" é \\ '` }, extra: { synthetic: true } },
      ],
      observation: { results: [{ content: 'output of step 1\n', extra: { exit_code: 3, command_ms: 12.25 } }] },
      metrics: { prompt_tokens: 101, completion_tokens: 20, cached_tokens: 5, cost_usd: 0.00125 },
      extra: { bench: { step: 1, thought: 'I do step 1.', working_dir: '/ws', call: { cost_usd: '0.00125' } } },
    });
    expect(final).toMatchObject({ total_prompt_tokens: 306, total_completion_tokens: 60, total_cost_usd: 0.00375 });
    expect(extra).toMatchObject({
      bench: {
        run_id: runId,
        end_reason: 'submit',
        final_evaluation: 'ok',
        final_score: 0.1 + 0.2,
        evaluations: [{ step: 2 }, { step: 3 }],
      },
    });
  });

  test('of an agent that calls tools keeps the ids and names that the model gave, and arguments that are no object as text', async () => {
    const { runId } = await playedRun(db, { tools: true });
    await db.pool.query('update steps set response = $2 where run_id = $1 and step = 2', [
      runId,
      '{"reply":1,"text":"Two.","toolCalls":[{"id":"x","name":"bash","arguments":"{oops"},{"id":"x","name":"edit","arguments":"{}"}]}',
    ]);
    const { steps, agent } = await atif(runId);
    expect(agent.tool_definitions?.map(({ function: { name } }) => name)).toContain('bash');
    expect(steps[2]?.tool_calls?.[0]).toMatchObject({
      tool_call_id: 'call_1',
      extra: { arguments_text: expect.any(String) as string },
    });
    expect(steps[3]?.tool_calls).toEqual([
      { tool_call_id: 'x', function_name: 'bash', arguments: {}, extra: { arguments_text: '{oops' } },
      { tool_call_id: 'step-2-2', function_name: 'edit', arguments: {}, extra: { sent_id: 'x' } },
    ]);
    expect(steps[3]?.observation?.results).toHaveLength(2);
  });

  test('has refused replies beside the step, and counts them in its totals', async () => {
    const { runId } = await playedRun(db, { refused: [2] });
    const { steps, final_metrics: final } = await atif(runId);
    expect(steps[3]).toMatchObject({
      llm_call_count: 2,
      extra: { bench: { calls: [{ try: 0, response: 'no command in reply 2', cost_usd: '0.000000123' }] } },
    });
    expect(final.total_prompt_tokens).toBe(101 + 102 + 102 + 103);
  });

  test('that has no step yet, has failed, or is a fork is one that readers take', async () => {
    const { runId } = await playedRun(db, { steps: 0 });
    expect((await atif(runId)).steps.map(({ source }) => source)).toEqual(['system', 'user']);
    const from = await playedRun(db, { steps: 2 });
    const fork = await playedRun(db, { steps: 3, over: { forkedFrom: { runId: from.runId, step: 1 } } });
    const copied = (await atif(fork.runId)).steps.map((step) => step.is_copied_context === true);
    expect(copied).toEqual([false, false, true, false, false]);
  });
});

describe('a run as an Inspect log', () => {
  test('has every member that its readers want, and equal steps, scores and tokens in all of them', async () => {
    const { runId } = await playedRun(db, { steps: 5, refused: [2, 4] });
    const { header, samples, summaries, names } = await inspectLog(runId);
    expect(names).toEqual([
      '_journal/start.json',
      'samples/t_epoch_1.json',
      '_journal/summaries/1.json',
      'summaries.json',
      'header.json',
    ]);
    expect(header).toMatchObject({
      ...{ status: 'success', version: 2 },
      eval: { task: 't', model: 'openai/gpt-4o', config: { epochs: 1 }, dataset: { sample_ids: ['t'] } },
      results: { total_samples: 1, scores: [{ name: 'score', metrics: { mean: { value: 0.1 + 0.2 } } }] },
    });
    const [sample] = samples as [Sample];
    expect(sample).toMatchObject({ uuid: runId, epoch: 1, turn_count: 7, scores: { score: { value: 0.1 + 0.2 } } });
    expect(summaries).toMatchObject([{ id: 't', epoch: 1, message_count: sample.messages.length, turn_count: 7 }]);
    // Inspect's input is without what was read from a cache.
    const used = models(sample).map(({ output }) => output.usage);
    const total = (key: string) => used.reduce((sum, usage) => sum + usage[key]!, 0);
    const [usage] = Object.values(sample.model_usage) as [Record<string, number>];
    expect(used).toHaveLength(7);
    for (const key of ['input_tokens', 'output_tokens', 'total_tokens', 'input_tokens_cache_read', 'reasoning_tokens'])
      expect([key, usage[key]]).toEqual([key, total(key)]);
    expect(usage['total_tokens']).toBe(
      usage['input_tokens']! + usage['input_tokens_cache_read']! + usage['output_tokens']!,
    );
    expect(
      sample.events.filter(({ event }) => event === 'score').map(({ intermediate, score }) => [intermediate, score]),
    ).toMatchObject([
      [true, { value: 0.5 }],
      [false, { value: 0.1 + 0.2 }],
    ]);
    expect(sample.messages.filter(({ role }) => role === 'tool')).toHaveLength(5);
  });

  test('points each call at what the model was asked, refused replies included', async () => {
    const { runId } = await playedRun(db, { steps: 4, refused: [2] });
    const [sample] = (await inspectLog(runId)).samples as [Sample];
    const pool = sample.events_data.messages.map(({ id }) => place(id));
    const asked = models(sample).map(({ input_refs: refs }) => refs.flatMap(([from, to]) => pool.slice(from, to)));
    expect(asked).toEqual([
      ['p1', 'p2'],
      ['p1', 'p2', 's1', 's1r'],
      ['p1', 'p2', 's1', 's1r', 's2t0', 's2t0r1'],
      ['p1', 'p2', 's1', 's1r', 's2', 's2r'],
      ['p1', 'p2', 's1', 's1r', 's2', 's2r', 's3', 's3r'],
    ]);
    expect(models(sample).map(({ output }) => place(output.choices[0]!.message.id))).toEqual([
      's1',
      's2t0',
      's2',
      's3',
      's4',
    ]);
  });

  test.runIf(LONG)('of 500 steps takes at most 200 KB', async () => {
    const words = 'loss accuracy epoch batch model train test layer rate step value mean error file data'.split(' ');
    let state = 7;
    const word = () => words[(state = (state * 1103515245 + 12345) % 2147483648) % words.length]!;
    const { runId } = await playedRun(db, {
      ...{ steps: 500, refused: [9, 99] },
      observation: (step) => `${Array.from({ length: 20 }, word).join(' ')}\nepoch ${step}: loss 0.${state}\n`,
    });
    const output = target('.eval');
    await exportBatch(bench(), runId, { format: 'inspect', output });
    const [{ messages }] = (await readLog(output)).samples as [Sample];
    console.info(`an Inspect log of 500 steps: ${Math.round(statSync(output).size / 1000)} KB`);
    expect(messages).toHaveLength(2 + 1000);
    expect(statSync(output).size).toBeLessThan(200_000);
  });

  test('says in its closed words how a run ended', async () => {
    const ends = [
      ['max_steps', 'turn'],
      ['wall_time', 'time'],
      ['tokens', 'token'],
      ['format', 'custom'],
    ] as const;
    for (const [endReason, type] of ends) {
      const { runId } = await playedRun(db, { steps: 1 });
      await db.pool.query('update runs set end_reason = $2 where run_id = $1', [runId, endReason]);
      const [sample] = (await inspectLog(runId)).samples as [Sample];
      expect([endReason, sample.limit?.type, typeof sample.limit?.limit]).toEqual([endReason, type, 'number']);
    }
    const { runId } = await playedRun(db, { steps: 1 });
    await db.pool.query(`update runs set end_reason = 'infra_error', detail = 'the disk' where run_id = $1`, [runId]);
    const [sample] = (await inspectLog(runId)).samples as [Sample];
    expect(sample.error).toEqual({ message: 'infra_error: the disk', traceback: '', traceback_ansi: '' });
  });
});

describe('a batch or episodes', () => {
  test('are a file per run as ATIF, and a log per task, agent and model whose attempts are epochs', async () => {
    const batch = submission('exchanged', (batchId) =>
      [1, 2, 3].flatMap((attempt) => ['a', 'b'].map((model) => run(batchId, task('t'), model, attempt))),
    );
    await db.intake.submit({ ...batch, runs: batch.runs.map((one, ordinal) => ({ ...one, ordinal })) });
    const [trajectories, logs] = [target(''), target('')];
    await exportBatch(bench(), 'exchanged', { format: 'atif', output: trajectories });
    expect(readdirSync(trajectories).sort()).toEqual(batch.runs.map(({ runId }) => `${runId}.json`).sort());
    await exportBatch(bench(), 'exchanged', { format: 'inspect', output: logs });
    const names = readdirSync(logs);
    expect(names).toHaveLength(2);
    for (const name of names) {
      expect(name).toMatch(/^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\+00-00_t_[A-Za-z0-9]{22}\.eval$/);
      const { header, samples } = await readLog(join(logs, name));
      expect(samples.map(({ epoch }) => epoch)).toEqual([1, 2, 3]);
      expect(header).toMatchObject({ status: 'started', eval: { config: { epochs: 3 } } });
    }
    await expect(exportBatch(bench(), 'exchanged', { format: 'inspect', output: logs })).rejects.toThrow(
      /already exists/,
    );
  });

  test('of training have what was refused, and what each action earned', async () => {
    const episodes = makeEpisodes(3, 20);
    await storeEpisodes(db, 'trained', episodes);
    const output = target('');
    expect(await exportBatch(bench(), 'trained', { format: 'atif', output })).toMatchObject({ runs: 20 });
    let refused = 0;
    for (const episode of episodes) {
      const { extra, steps } = atifSchema.parse(
        JSON.parse(readFileSync(join(output, `${episode.runId}.json`), 'utf8')),
      );
      expect(extra).toMatchObject({ bench: { episode: { group: episode.group } } });
      const told = steps.flatMap(({ message, extra: own }) => [
        ...((own as { bench: { calls?: { response: string }[] } }).bench.calls ?? []).map(({ response }) => response),
        message,
      ]);
      const played = new Set(steps.flatMap(({ extra: own }) => (own as { bench: { step?: number } }).bench.step ?? []));
      const made = episode.actions
        .filter(({ malformed, step }) => malformed && played.has(step))
        .map(({ text }) => text);
      for (const text of made) expect(told).toContain(text);
      refused += made.length;
    }
    expect(refused).toBeGreaterThan(0);
    expect(await exportBatch(bench(), 'trained', { format: 'inspect', output: target('') })).toMatchObject({
      runs: 20,
    });
  });
});
