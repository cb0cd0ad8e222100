import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chooseFreePort } from '../../services/index.js';
import { BenchHome } from '../setup/bench-home.js';
import { until } from '../setup/services-home.js';

const CANARY = 'sk-canary-0123456789';

describe('a worker', () => {
  let home: BenchHome;
  let url: string;
  beforeAll(async () => {
    // None that systems give to others meanwhile.
    const port = await chooseFreePort(`metrics ${process.pid} ${Date.now()}`);
    url = `http://127.0.0.1:${port}/metrics`;
    home = new BenchHome({ BENCH_METRICS: String(port), BENCH_LOG_LEVEL: 'debug', OPENAI_API_KEY: CANARY });
  });
  afterAll(() => home.remove());

  const scrape = async (): Promise<string> => (await fetch(url)).text();
  const figure = (text: string, series: string): number =>
    Number(
      text
        .split('\n')
        .find((line) => line.startsWith(`${series} `))
        ?.slice(series.length),
    );

  it('shows its figures to Prometheus while a batch runs, and those of the Temporal SDK', async () => {
    const batch = home.start(
      ...['submit', '--models', 'scripted:baseline,scripted:slow:5', '--tasks', 'battleOfSexes'],
      ...['--attempts', '1', '--backend', 'local', '--wait'],
    );
    await until('a scrape sees steps of runs under way', async () => {
      const text = await scrape().catch(() => '');
      return figure(text, 'bench_steps_total') > 0 && /^bench_runs\{status="\w+"\} [12]$/m.test(text);
    });
    expect((await batch).exitCode).toBe(0);
    const text = await scrape();
    expect(figure(text, 'bench_database_up')).toBe(1);
    expect(figure(text, 'bench_runs{status="ended"}')).toBe(2);
    expect(figure(text, 'bench_runs_ended_total{end_reason="submit"}')).toBe(2);
    expect(figure(text, 'bench_hosts')).toBe(1);
    expect(figure(text, 'bench_model_calls_total{provider="scripted",status="confirmed"}')).toBeGreaterThan(2);
    const submitted = figure(text, 'bench_evaluations_total{kind="submit",status="ok"}');
    expect(submitted).toBe(2);
    expect(text).toMatch(/^temporal_\w+\{.*\} \d/m);
    expect(text).not.toContain(CANARY);
    expect((await fetch(url.replace('/metrics', '/'))).status).toBe(404);
  });

  it('logs JSON lines that name run and step, and no key', () => {
    const log = readFileSync(join(home.dir, 'logs/worker.log'), 'utf8');
    // The last line may be half written.
    const lines = log.slice(0, log.lastIndexOf('\n')).trim().split('\n');
    const entries = lines
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(entries.length).toBeGreaterThan(10);
    const ofSteps = entries.filter((entry) => entry['activityType'] === 'playSteps');
    expect(ofSteps.length).toBeGreaterThan(0);
    for (const entry of ofSteps) expect(entry['runId']).toMatch(/^r-/);
    // The SDK's first line of an activity is written before its arguments are known.
    expect(ofSteps.some((entry) => typeof entry['step'] === 'number')).toBe(true);
    expect(lines.join('\n')).not.toContain(CANARY);
    expect(lines.join('\n')).not.toContain('taskToken');
  });
});
