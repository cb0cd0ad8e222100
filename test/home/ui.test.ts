import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { UiDocument } from '../../domain/views/ui.js';
import { BenchHome } from '../setup/bench-home.js';
import { until } from '../setup/services-home.js';

describe('bench demo --ui', () => {
  let home: BenchHome;
  beforeAll(() => {
    home = new BenchHome();
  });
  afterAll(() => home.remove());

  it('serves the page while the agents play, and until it is told to end', async () => {
    const demo = home.start('demo', '--backend', 'local', '--ui');
    let stderr = '';
    demo.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    const link = (): { address: string; token: string } | null => {
      const [, address = '', token = ''] = /The page: (http:\/\/127\.0\.0\.1:\d+)\/#token=([\w-]+)/.exec(stderr) ?? [];
      return token === '' ? null : { address, token };
    };
    await until('the link is printed', () => link() !== null);
    const { address, token } = link()!;
    const ask = async <T>(path: string, bearer = token): Promise<{ status: number; body: T }> => {
      const response = await fetch(`${address}${path}`, { headers: { authorization: `Bearer ${bearer}` } });
      return { status: response.status, body: (await response.json().catch(() => null)) as T };
    };
    type Runs = { runs: { runId: string; status: string; steps: number }[]; total: number };
    await until('the page has runs that have not ended', async () => {
      const { status, body } = await ask<Runs>('/api/v1/runs?limit=50');
      return status === 200 && body.runs.length === 18 && body.runs.some((run) => run.status !== 'ended');
    });
    expect((await ask('/api/v1/runs', 'wrong')).status).toBe(401);
    const page = await fetch(address);
    expect([page.status, page.headers.get('content-security-policy')]).toEqual([
      200,
      expect.stringContaining("require-trusted-types-for 'script'"),
    ]);

    await until('the demo is over', () => stderr.includes('The page is still served'));
    const [{ body: shown }, listed] = await Promise.all([
      ask<Runs>('/api/v1/runs?limit=50'),
      home.json<{ runs: { runId: string; steps: number }[] }>('runs'),
    ]);
    const steps = (runs: { runId: string; steps: number }[]) => new Map(runs.map((run) => [run.runId, run.steps]));
    expect(steps(shown.runs)).toEqual(steps(listed.runs));

    // One page a home, which other commands point at.
    const again = await home.json<UiDocument>('ui', 'serve', '--no-open');
    expect(again).toMatchObject({ address, pid: demo.pid, reused: true });
    const submitted = await home.run(
      ...['submit', '--models', 'scripted:baseline', '--tasks', 'blotto', '--attempts', '1', '--backend', 'local'],
    );
    expect(submitted.stderr).toMatch(new RegExp(`On the page: ${address}/batches/b-\\w+`));

    demo.kill('SIGTERM');
    await demo;
    await expect(fetch(address)).rejects.toThrow();
    expect((await home.run('status')).stderr).not.toContain('On the page');
  });
});
