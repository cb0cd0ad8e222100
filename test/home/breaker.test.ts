import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BatchDocument } from '../../domain/views/batches.js';
import type { NotificationBody } from '../../domain/views/notifications.js';
import { playPolicy, startProviderSimulator, type ProviderSimulator } from '../fakes/provider-simulator/index.js';
import { BenchHome } from '../setup/bench-home.js';
import { receiver } from '../setup/receiver.js';
import { until } from '../setup/services-home.js';
import { LONG } from '../setup/long.js';

const RUNS = 12;
const submit = (...more: string[]): string[] => [
  ...['submit', '--models', 'gpt-4o', '--tasks', 'battleOfSexes', '--attempts', String(RUNS), '--concurrency', '1'],
  ...['--backend', 'local', '--wait', ...more],
];
const UNAUTHORIZED = { kind: 'unauthorized' } as const;

describe('a batch whose provider refuses the key', () => {
  let simulator: ProviderSimulator;
  let hook: Awaited<ReturnType<typeof receiver>>;
  let home: BenchHome;
  beforeAll(async () => {
    simulator = await startProviderSimulator({ behaviour: () => UNAUTHORIZED });
    hook = await receiver();
    home = new BenchHome({
      OPENAI_API_KEY: 'no-longer-valid',
      OPENAI_BASE_URL: simulator.openAiBaseUrl,
      BENCH_NOTIFY_URL: hook.url.href,
    });
  });
  afterAll(async () => {
    await home.remove();
    await hook.close();
    await simulator.close();
  });
  const told = (): NotificationBody[] => hook.received.map(({ body }) => JSON.parse(body) as NotificationBody);
  const because = /^5 runs in a row ended by a fault of the provider: .*key/;
  let batchId: string;

  it('pauses itself, tells everybody why, and lets go of who waits for it', async () => {
    const { exitCode, stdout, stderr } = await home.run(...submit('--json'));
    const batch = JSON.parse(stdout) as BatchDocument;
    ({ batchId } = batch);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/paused automatically at .*: 5 runs in a row ended by a fault of the provider/);
    expect(stderr).toContain(`bench resume ${batchId}`);
    expect(batch).toMatchObject({ status: 'running', breaker: 5 });
    expect(batch.pauseReason).toMatch(because);
    expect(batch.byEndReason).toEqual({ config_error: 5 });
    const { events } = await home.json<{ events: { kind: string; detail: string }[] }>(
      ...['events', batchId, '--kind', 'batch_paused'],
    );
    expect(events.map(({ detail }) => detail)).toEqual([expect.stringMatching(because)]);
    expect((await home.run('status', batchId)).stdout).toMatch(/paused automatically at .*5 runs in a row/);
    await until('the webhook is notified', () => told().some(({ event }) => event === 'batch.paused'));
    expect(told().find(({ event }) => event === 'batch.paused')?.text).toContain('has paused itself (5 runs in a row');
  });

  it('continues when it is resumed, and its runs end well once the key does', async () => {
    simulator.behave(playPolicy('optimum'));
    const { stdout } = await home.run('resume', batchId, '--wait', '--json');
    const batch = JSON.parse(stdout) as BatchDocument;
    expect(batch).toMatchObject({ status: 'ended', pausedAt: null, pauseReason: null, ended: RUNS });
    expect(batch.byEndReason['submit']).toBe(RUNS - (batch.byEndReason['config_error'] ?? 0));
  });

  // Without it, sql/breaker.test.ts has batches without it.
  it.runIf(LONG)('plays all its runs with --no-breaker', async () => {
    simulator.behave(() => UNAUTHORIZED);
    const { exitCode, stdout } = await home.run(...submit('--no-breaker', '--json'));
    const batch = JSON.parse(stdout) as BatchDocument;
    expect(exitCode).toBe(1);
    expect(batch).toMatchObject({ status: 'ended', breaker: null, pauseReason: null });
    expect(batch.byEndReason).toEqual({ config_error: RUNS });
  });
});
