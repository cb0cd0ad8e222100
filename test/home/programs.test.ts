import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { connectEngine } from '../../backends/docker/engine.js';
import { engineAddress } from '../../backends/docker/engine-address.js';
import { playProgram, startProviderSimulator, type ProviderSimulator } from '../fakes/provider-simulator/index.js';
import { BenchHome } from '../setup/bench-home.js';
import { LONG } from '../setup/long.js';

const KEY = 'canary-of-the-provider-2c61';
const script = (name: string): string => {
  const text = readFileSync(resolve(import.meta.dirname, '../fixtures/programs', `${name}.py`), 'utf8');
  return `exec python3 - <<'PROGRAM' 2>&1\n${text}\nPROGRAM`;
};

let simulator: ProviderSimulator;
let home: BenchHome;

beforeAll(async () => {
  simulator = await startProviderSimulator({ behaviour: playProgram('optimum'), keys: [KEY] });
  home = new BenchHome({ OPENAI_API_KEY: KEY, OPENAI_BASE_URL: simulator.openAiBaseUrl });
  mkdirSync(join(home.dir, 'configs/agents'), { recursive: true });
  agent('tiny', script('tiny'));
  agent('stubborn', script('stubborn'), { ELSEWHERE: new URL(simulator.openAiBaseUrl).origin });
  agent('missing', 'exec no-such-client --task "$BENCH_PROMPT"');
  agent('silent', SILENT);
  agent('modelless', SILENT, {}, { needsModel: false });
});
beforeEach(() => simulator.behave(playProgram('optimum')));
afterAll(async () => {
  await home.remove();
  await simulator.close();
});

/** Ends by itself, as a client does that does not know an option. */
const SILENT = "echo 'reading the task'; echo 'error: unknown option --fast' >&2; exit 2";

function agent(name: string, command: string, environment: Record<string, string> = {}, more: object = {}): void {
  writeFileSync(
    join(home.dir, 'configs/agents', `${name}.yaml`),
    JSON.stringify({
      ...{ schema: 1, kind: 'program', description: name, client: 'openai-chat', command, environment, ...more },
      taskTemplate: '{{ task.description }}\n{{ commandDocs }}',
    }),
  );
}

async function submit(name: string, ...options: string[]): Promise<{ batchId: string; runId: string }> {
  const { batchId, runs } = await home.json<{ batchId: string; runs: { runId: string }[] }>(
    ...['submit', '--models', 'gpt-4o', '--tasks', 'battleOfSexes', '--agent', name, '--attempts', '1'],
    ...['--backend', 'docker', ...options],
  );
  return { batchId, runId: runs[0]!.runId };
}
const endOf = async (runId: string) => {
  const [row] = await home.sql<{ end: string; detail: string | null; score: number | null; cost: number }>(
    'select end_reason as end, detail, final_score as score, cost_usd::float8 as cost from runs where run_id = $1',
    [runId],
  );
  return row!;
};
const eventsOf = async (runId: string, kind: string): Promise<string[]> =>
  (await home.sql<{ detail: string }>('select detail from events where run_id = $1 and kind = $2', [runId, kind])).map(
    ({ detail }) => detail,
  );

it('in a new container a program is told what it was told before, and pays for nothing twice', async () => {
  const play = playProgram('optimum');
  let reached = (): void => undefined;
  let release = (): void => undefined;
  const third = new Promise<void>((tell) => (reached = tell));
  const released = new Promise<void>((tell) => (release = tell));
  const first = simulator.requests.length;
  simulator.behave(async (request) => {
    if (request.number === first + 3) {
      reached();
      await released;
    }
    return play(request);
  });
  const { batchId, runId } = await submit('tiny');
  await third;
  const docker = connectEngine(engineAddress('docker', process.env));
  const [container] = await docker.listContainers({ filters: { label: [`bench.run=${runId}`] } });
  await docker.getContainer(container!.Id).remove({ force: true, v: true });
  release();
  await home.run('watch', batchId);

  const { end, score } = await endOf(runId);
  expect(end).toBe('submit');
  expect(Math.abs((score ?? 0) - 1.44)).toBeLessThan(0.038);
  expect(await eventsOf(runId, 'sandbox_lost')).toHaveLength(1);
  expect(await eventsOf(runId, 'program_diverged')).toEqual([]);
  const replayed = await home.sql<{ step: number; calls: number }>(
    `select p.step, (select count(*)::int from model_calls c where c.run_id = p.run_id and c.step = p.step) as calls
     from program_steps p where p.run_id = $1 and p.replayed_epoch = 2 and p.fingerprint is not null order by p.step`,
    [runId],
  );
  expect(replayed.length).toBeGreaterThanOrEqual(2);
  expect(new Set(replayed.map(({ calls }) => calls))).toEqual(new Set([1]));
  // One answer for each step of the policy: none was asked for again.
  const told = simulator.requests.slice(first).map(({ messages }) => messages.length);
  expect(new Set(told).size).toBe(told.length);
}, 900_000);

it.runIf(LONG)(
  'what a call waits for its provider is no time of the program',
  async () => {
    const play = playProgram('optimum');
    const first = simulator.requests.length;
    simulator.behave((request) =>
      request.number === first + 1 ? { kind: 'rate_limit', retryAfter: '25' } : play(request),
    );
    const { batchId, runId } = await submit('tiny', '--wall-time', '20s');
    await home.run('watch', batchId);
    expect((await endOf(runId)).end).toBe('submit');
    const [row] = await home.sql<{ seconds: number }>(
      'select max(command_ms)::float8 / 1000 as seconds from steps where run_id = $1',
      [runId],
    );
    expect(row!.seconds).toBeGreaterThan(25);
  },
  900_000,
);

it.runIf(LONG)(
  'a program that ignores its limit is stopped within one call, and finds no other way to a model',
  async () => {
    const before = simulator.requests.length;
    const { batchId, runId } = await submit('stubborn', '--max-steps', '2');
    await home.run('watch', batchId);
    const { end } = await endOf(runId);
    expect(end).toBe('max_steps');
    expect(simulator.requests.length - before).toBe(2);
    const [last] = await home.sql<{ output: string }>(
      'select observation as output from steps where run_id = $1 order by step desc limit 1',
      [runId],
    );
    const lines = last!.output.split('\n');
    const said = (what: string) => lines.find((line) => line.startsWith(`${what}: `));
    expect(said('model')).toContain('404 this run is played by gpt-4o; "gpt-huge" is not available to it');
    expect(said('token')).toBe('token: 401 this is not the token of this run');
    expect(said('address')).toContain('nobody there');
    expect(said('outside')).toContain('nobody there');
    expect(said('proxy')).toBe('proxy: 403');
    expect(lines.filter((line) => line === 'call: 200')).toHaveLength(2);
    expect(lines.filter((line) => line.startsWith('call: 401 the run ends here')).length).toBeGreaterThan(0);
    const [how] = await eventsOf(runId, 'program_limit_reached');
    expect(how).toMatch(
      /notified of its limit \(max_steps\), the program was stopped after \d+\.\d s, refused \d+ calls/,
    );
    expect(last!.output).not.toContain(KEY);
  },
  900_000,
);

it('a program that is not in its container ends its run in a sentence, before anything is spent', async () => {
  const before = simulator.requests.length;
  const { batchId, runId } = await submit('missing');
  await home.run('watch', batchId);
  expect(await endOf(runId)).toMatchObject({ end: 'config_error', score: null, cost: 0 });
  expect((await endOf(runId)).detail).toMatch(/the program is not in the container: .*no-such-client/);
  expect(simulator.requests.length).toBe(before);
}, 900_000);

it.runIf(LONG)(
  'a program that ends without one model call is a fault of its file, unless that says that it needs no model',
  async () => {
    const silent = await submit('silent');
    await home.run('watch', silent.batchId);
    const { end, score, detail } = await endOf(silent.runId);
    expect([end, score]).toEqual(['config_error', null]);
    expect(detail).toContain('the program of agent silent ended with exit code 2 without one model call');
    expect(detail).toContain('error: unknown option --fast');
    expect(detail).toContain('configs/agents/silent.yaml');
    const modelless = await submit('modelless');
    await home.run('watch', modelless.batchId);
    // It changed nothing, which is worth the baseline of the task, whatever its evaluation drew.
    expect(await endOf(modelless.runId)).toMatchObject({ end: 'exit', detail: null, score: 1.02104 });
    const flags = await home.sql('select rule from integrity_flags where run_id = $1 order by rule', [modelless.runId]);
    expect(flags).toContainEqual({ rule: 'untouched_starter' });
  },
  900_000,
);
