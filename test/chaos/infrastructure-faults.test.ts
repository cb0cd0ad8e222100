import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  playPolicy,
  startProviderSimulator,
  type Behaviour,
  type Fault,
  type ProviderSimulator,
} from '../fakes/provider-simulator/index.js';
import { BenchHome } from '../setup/bench-home.js';
import { seededRandom, pick } from '../setup/random.js';
import { LONG } from '../setup/long.js';

// In its long form a thousand of them.
const RUNS = LONG ? 100 : 2;
const STEPS = 4;
const FAULTS = LONG ? 1_000 : 12;

/** What the provider does wrong, and what is to be read of it afterwards. */
const TYPES: { fault: Fault; type: string }[] = [
  { fault: { kind: 'rate_limit', retryAfter: '1' }, type: 'rate_limited' },
  { fault: { kind: 'server_error', status: 500 }, type: 'server_error' },
  { fault: { kind: 'server_error', status: 503 }, type: 'overloaded' },
  { fault: { kind: 'overloaded' }, type: 'overloaded' },
  { fault: { kind: 'cut' }, type: 'connection_cut' },
  { fault: { kind: 'cut_in_body' }, type: 'connection_cut' },
  { fault: { kind: 'malformed_json' }, type: 'malformed_response' },
];
const MOST_IN_A_ROW = 4;

let simulator: ProviderSimulator;
let home: BenchHome;
const injected = new Map<string, string>();

const random = seededRandom(Number(process.env['BENCH_CHAOS_SEED'] ?? 20));
const steady = playPolicy(`counter:${STEPS}`);
const faulty: Behaviour = (request) => {
  // The caller's id names the attempt: run/step/try/attempt.
  const attempt = Number(request.callId?.split('/').at(-1));
  if (injected.size >= FAULTS || attempt > MOST_IN_A_ROW || random() < 0.2) return steady(request);
  const { fault, type } = pick(random, TYPES);
  injected.set(request.callId ?? '', type);
  return fault;
};

beforeAll(async () => {
  simulator = await startProviderSimulator({ behaviour: faulty });
  home = new BenchHome({
    OPENAI_API_KEY: 'sk-faults',
    OPENAI_BASE_URL: simulator.openAiBaseUrl,
    ANTHROPIC_API_KEY: 'sk-faults',
    ANTHROPIC_BASE_URL: simulator.anthropicBaseUrl,
  });
});
afterAll(async () => {
  await home.remove();
  await simulator.close();
});

it(
  `${FAULTS} faults of providers over ${RUNS} runs reach no score and no failure count; each is told by its type`,
  async () => {
    const matrix = ['--models', 'gpt-4o,claude', '--tasks', 'battleOfSexes', '--attempts', String(RUNS / 2)];
    const { batchId } = await home.json<{ batchId: string }>(
      ...['submit', ...matrix, '--backend', 'local', '--concurrency', '32', '--seed', '3', '--max-steps', '20'],
    );
    const deadline = Date.now() + (LONG ? 1_200_000 : 800_000);
    for (;;) {
      const [batch] = await home.sql<{ status: string }>('select status from batches where batch_id = $1', [batchId]);
      if (batch?.status === 'ended') break;
      if (Date.now() > deadline) throw new Error((await home.run('status', batchId)).stdout);
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
    expect(injected.size).toBe(FAULTS);

    const runs = await home.sql<Record<string, unknown>>(
      `select end_reason, final_evaluation, step, count(*)::int as runs from runs where batch_id = $1 group by 1, 2, 3`,
      [batchId],
    );
    expect(runs).toEqual([{ end_reason: 'submit', final_evaluation: 'ok', step: STEPS + 1, runs: RUNS }]);
    const [board] = await home.sql<Record<string, unknown>>(
      `select count(*) filter (where final_score is null)::int as unscored, count(*)::int as runs from runs where batch_id = $1`,
      [batchId],
    );
    expect(board).toEqual({ unscored: 0, runs: RUNS });

    // Call by call: the row's typed error, and the run's event of it.
    const calls = await home.sql<{ call: string; error: string; status: string }>(
      `select c.run_id || '/' || c.step || '/' || c.try || '/' || c.attempt as call, c.error, c.status
     from model_calls c join runs r using (run_id) where r.batch_id = $1 and c.status <> 'confirmed'`,
      [batchId],
    );
    expect(Object.fromEntries(calls.map((one) => [one.call, one.error]))).toEqual(Object.fromEntries(injected));
    const [events] = await home.sql<{ count: number }>(
      `select count(*)::int as count from events where batch_id = $1 and kind = 'provider_error'`,
      [batchId],
    );
    expect(events?.count).toBe(FAULTS);
    const told = await home.json<{ events: { kind: string }[] }>(
      ...['events', batchId, '--kind', 'provider_error', '--limit', String(FAULTS + 1)],
    );
    expect(told.events.map(({ kind }) => kind)).toEqual(Array<string>(FAULTS).fill('provider_error'));
    // The batch has ended: a follower tells what there was, and leaves.
    const followed = await home.json<typeof told>('events', batchId, '-f', '--kind', 'provider_error', '--limit', '5');
    expect(followed.events).toEqual(told.events.slice(-5));
  },
  LONG ? 1_500_000 : 900_000,
);
