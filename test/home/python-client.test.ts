import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BenchHome } from '../setup/bench-home.js';
import { EnvServer } from '../setup/env-server.js';
import { LONG } from '../setup/long.js';
import { pythonWith } from '../setup/python-tools.js';

const python = async (program: string, ...args: string[]): Promise<string> => {
  const env = { ...process.env, PYTHONPATH: resolve('clients/python'), PYTHONDONTWRITEBYTECODE: '1' };
  return (await promisify(execFile)(withGymnasium ?? 'python3', [program, ...args], { env })).stdout;
};
const withGymnasium = await pythonWith('gymnasium', 'the Gymnasium environment');
const gymnasium = withGymnasium !== null;

let home: BenchHome;
let server: EnvServer;
beforeAll(async () => {
  home = new BenchHome();
  server = new EnvServer(home, ['--max-steps', '8']);
  await server.start();
});
afterAll(async () => {
  await server.stop();
  await home.remove();
});

describe('bench_rl', () => {
  test('pays one scripted policy alike by itself, in a vector and through Gymnasium', async () => {
    const played = JSON.parse(
      await python('test/fixtures/play-scripted.py', server.url, ...(gymnasium ? ['--gymnasium'] : [])),
    ) as Record<string, unknown>;
    // Each seed has its own opponents, so rewards agree within a quarter. 1: baseline to target.
    const paid: unknown[] = [null, null, expect.closeTo(1, 0.3), expect.closeTo(0, 0.3)];
    expect(played['client']).toEqual(paid);
    expect(played['vector']).toEqual([paid, paid]);
    // Gymnasium has no null: 0.
    if (gymnasium) expect(played['gymnasium']).toEqual([0, 0, ...paid.slice(2)]);
  });

  test.runIf(LONG)('trains a policy: the edit that pays best is chosen more often', async () => {
    const said = await python(
      ...(['examples/train-a-policy/train.py', server.url, '--rounds', '4', '--group', '6', '--any'] as const),
    );
    const lines = said.trimEnd().split('\n');
    expect(lines).toHaveLength(5);
    const figures = JSON.parse(lines[4]!) as { episodes: number; policy: number[] };
    expect(figures.episodes).toBe(24);
    expect(Math.max(...figures.policy)).toBeGreaterThan(0.3);
  });
});
