import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  playPolicy,
  playProgram,
  startProviderSimulator,
  type ProviderSimulator,
} from '../fakes/provider-simulator/index.js';
import { readServicesFile } from '../../services/services-file.js';
import { BenchHome } from '../setup/bench-home.js';
import { LONG } from '../setup/long.js';

const TASKS = LONG ? 'battleOfSexes,blotto,prisonersDilemma' : 'blotto';

let simulator: ProviderSimulator;
let home: BenchHome;

beforeAll(async () => {
  simulator = await startProviderSimulator({ behaviour: playPolicy('optimum') });
  home = new BenchHome({
    OPENAI_API_KEY: 'test-key',
    ANTHROPIC_API_KEY: 'test-key',
    OPENAI_BASE_URL: simulator.openAiBaseUrl,
    ANTHROPIC_BASE_URL: simulator.anthropicBaseUrl,
  });
});
afterAll(async () => {
  await home.remove();
  await simulator.close();
});

interface RunRow extends Record<string, unknown> {
  model: string;
  task: string;
  end: string;
  score: number;
  cost: string;
}
const callsOf = (runId: string) =>
  home.sql<{ id: string; status: string; tokens: number | null }>(
    `select run_id || '/' || step || '/' || try || '/' || attempt as id, status, (input_tokens + output_tokens)::int as tokens
     from model_calls where run_id = $1 order by step, attempt`,
    [runId],
  );
const runsOf = (batchId: string): Promise<RunRow[]> =>
  home.sql<RunRow>(
    `select model_name as model, task_id as task, end_reason as end, final_score as score, trim_scale(cost_usd)::text as cost
     from runs where batch_id = $1 order by model_name desc, task_id`,
    [batchId],
  );

it('gpt-4o and claude play games over their own wires, at a price', async () => {
  const { batchId } = await home.json<{ batchId: string }>(
    ...['submit', '--models', 'gpt-4o,claude', '--tasks', TASKS, '--attempts', '1', '--backend', 'local', '--wait'],
  );
  const rows = await runsOf(batchId);
  expect(rows.map((row) => [row.model, row.task, row.end])).toEqual(
    ['gpt-4o', 'claude'].flatMap((model) => TASKS.split(',').map((task) => [model, task, 'submit'])),
  );
  // Five standard errors of a thousand games around the known optima; each home draws its own.
  const optima: Record<string, [value: number, margin: number]> = {
    battleOfSexes: [1.44, 0.038],
    prisonersDilemma: [2.62514, 0.095],
    blotto: [0.249, 0.04],
  };
  for (const row of rows) {
    const [value, margin] = optima[row.task] ?? [NaN, 0];
    expect(Math.abs(row.score - value), `${row.model} ${row.task} ${row.score}`).toBeLessThan(margin);
    expect(Number(row.cost)).toBeGreaterThan(0);
  }
  expect(new Set(simulator.requests.map((request) => request.wire))).toEqual(new Set(['openai', 'anthropic']));
}, 900_000);

it('the tool-calling agent plays through native tool calls', async () => {
  const { batchId } = await home.json<{ batchId: string }>(
    ...[
      'submit',
      '--models',
      'gpt-4o,claude',
      '--tasks',
      'battleOfSexes',
      '--agent',
      'tool-calling',
      '--attempts',
      '1',
    ],
    ...['--backend', 'local', '--wait'],
  );
  const rows = await runsOf(batchId);
  expect(rows.map((row) => row.end)).toEqual(['submit', 'submit']);
  for (const row of rows) expect(Math.abs(row.score - 1.44)).toBeLessThan(0.038);
}, 900_000);

const PROGRAM = readFileSync(resolve(import.meta.dirname, '../fixtures/programs/tiny.py'), 'utf8');

// Without it, programs.test.ts plays programs behind the gateway, and kills one's container.
it.runIf(LONG)(
  'a program plays by itself behind the gateway, survives its worker, and its calls cost what the provider bills',
  async () => {
    mkdirSync(join(home.dir, 'configs/agents'), { recursive: true });
    writeFileSync(
      join(home.dir, 'configs/agents/tiny.yaml'),
      JSON.stringify({
        ...{ schema: 1, kind: 'program', description: 'tiny', client: 'openai-chat' },
        command: `exec python3 - <<'PROGRAM' 2>&1\n${PROGRAM}\nPROGRAM`,
        taskTemplate: '{{ task.description }}\n{{ commandDocs }}',
      }),
    );
    simulator.behave(playProgram('optimum'));
    const submitted = home.json<{ batchId: string; runs: { runId: string }[] }>(
      ...['submit', '--models', 'gpt-4o', '--tasks', 'battleOfSexes', '--agent', 'tiny', '--attempts', '1'],
      ...['--backend', 'docker'],
    );
    const { batchId, runs } = await submitted;
    const runId = runs[0]!.runId;
    await expect.poll(async () => (await callsOf(runId)).length, { timeout: 600_000 }).toBeGreaterThanOrEqual(2);
    process.kill(readServicesFile(join(home.dir, 'services.json'))!.services.worker!.process!.pid, 'SIGKILL');
    await home.run('watch', batchId);
    const [row] = await runsOf(batchId);
    expect(row?.end).toBe('submit');
    expect(Math.abs((row?.score ?? 0) - 1.44)).toBeLessThan(0.038);
    const billed = new Map(
      simulator.bill.entries.map(({ callId, usage }) => [callId, usage.inputTokens + usage.outputTokens]),
    );
    for (const { id, status, tokens } of await callsOf(runId))
      if (status === 'confirmed') expect([id, tokens]).toEqual([id, billed.get(id)]);
      else expect(['failed', 'unconfirmed']).toContain(status);
    const canary = await home.sql(
      `select 1 from steps where run_id = $1 and (response || coalesce(observation, '')) like '%test-key%'`,
      [runId],
    );
    expect(canary).toEqual([]);
  },
  900_000,
);

it('a run ends by its cost limit before a call that it might not bear', async () => {
  const { batchId } = await home.json<{ batchId: string }>(
    ...[
      'submit',
      '--models',
      'gpt-4o',
      '--tasks',
      'battleOfSexes',
      '--cost-limit',
      '0.000001',
      '--attempts',
      '1',
      '--backend',
      'local',
      '--wait',
    ],
  );
  expect(await runsOf(batchId)).toMatchObject([{ end: 'cost', cost: '0' }]);
}, 900_000);

/** A batch whose runs end unscored: waiting for it exits with 1. */
async function submitUnscored(...args: string[]): Promise<{ batchId: string }> {
  const { exitCode, stdout } = await home.run(
    ...['submit', '--models', 'gpt-4o', '--tasks', 'battleOfSexes', '--attempts', '1', '--backend', 'local', ...args],
    ...['--wait', '--json'],
  );
  expect(exitCode).toBe(1);
  return JSON.parse(stdout) as { batchId: string };
}

// infrastructure-faults.test.ts loses answers and budget.test.ts raises budgets, in both suites.
it.runIf(LONG)(
  'a run whose lost answers alone use its cost limit up is an infra_error that tells why, and is repeated',
  async () => {
    simulator.behave(() => ({ kind: 'cut_in_body' }));
    try {
      const { batchId } = await submitUnscored('--cost-limit', '0.2');
      const [run] = await home.sql<{ end: string; detail: string; scored: boolean }>(
        'select end_reason as end, detail, final_score is not null as scored from runs where batch_id = $1',
        [batchId],
      );
      expect(run).toMatchObject({ end: 'infra_error', scored: false });
      expect(run?.detail).toContain('exceeds the cost limit of $0.2');
      simulator.behave(playPolicy('optimum'));
      await home.run('retry', batchId, '--wait');
      expect((await runsOf(batchId)).map(({ end }) => end).sort()).toEqual(['infra_error', 'submit']);
    } finally {
      simulator.behave(playPolicy('optimum'));
    }
  },
  900_000,
);

it.runIf(LONG)(
  'a run that a raised budget continues has the cost limit that it had: nothing was confirmed as spent',
  async () => {
    simulator.behave(() => ({ kind: 'cut_in_body' }));
    try {
      const { batchId } = await submitUnscored('--cost-limit', '0.9', '--budget', '0.1');
      const lost = Number((await home.json<{ chargedUsd: string }>('status', batchId)).chargedUsd);
      expect(lost).toBeGreaterThan(0);
      simulator.behave(playPolicy('optimum'));
      await home.run('resume', batchId, '--budget', '2', '--wait');
      const runs = await home.sql<{ end: string; cost: number; limit: number }>(
        `select end_reason as end, cost_usd::float8 as cost, cost_limit_usd::float8 as limit
       from runs where batch_id = $1 order by ordinal`,
        [batchId],
      );
      expect(runs).toMatchObject([
        { end: 'budget', cost: 0, limit: 0.9 },
        { end: 'submit', limit: 0.9 },
      ]);
    } finally {
      simulator.behave(playPolicy('optimum'));
    }
  },
  900_000,
);

// Without it, unit/cli/models-test.test.ts meets a web server.
it.runIf(LONG)(
  'an address where a web server answers ends runs at once, unscored and uncharged, and says what to do',
  async () => {
    simulator.behave(() => ({ kind: 'page' }));
    try {
      const { batchId } = await submitUnscored('--budget', '1');
      const [run] = await home.sql<{ runId: string; end: string; detail: string }>(
        'select run_id as "runId", end_reason as end, detail from runs where batch_id = $1',
        [batchId],
      );
      expect(run?.end).toBe('config_error');
      expect(run?.detail).toMatch(/an HTML page.*at 127\.0\.0\.1:\d+\/v1;.*`bench models test gpt-4o`/);
      expect(await home.json('status', batchId)).toMatchObject({ chargedUsd: '0', providerErrors: [] });
      expect((await home.run('show', run?.runId ?? '')).stdout).toMatch(/endpoint +127\.0\.0\.1:\d+\/v1 \(1 call\)/);
      expect((await home.run('models', 'test', 'gpt-4o')).exitCode).toBe(1);
      simulator.behave(playPolicy('optimum'));
      expect((await home.run('models', 'test', 'gpt-4o')).exitCode).toBe(0);
      await home.run('retry', batchId, '--all', '--wait');
      expect((await runsOf(batchId)).map(({ end }) => end).sort()).toEqual(['config_error', 'submit']);
    } finally {
      simulator.behave(playPolicy('optimum'));
    }
  },
  900_000,
);

it('without a key nothing starts, and the missing variable and its place are named', async () => {
  const bare = new BenchHome();
  try {
    const { exitCode, stderr } = await bare.run(
      'submit',
      '--models',
      'gpt-4o,claude',
      '--tasks',
      TASKS,
      '--backend',
      'local',
    );
    expect(exitCode).toBe(2);
    expect(stderr).toContain('OPENAI_API_KEY');
    expect(stderr).toContain('ANTHROPIC_API_KEY');
    expect(stderr).toContain('.env');
  } finally {
    await bare.remove();
  }
});
