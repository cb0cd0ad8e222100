import { execFile, spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BenchHome } from '../setup/bench-home.js';
import { EnvServer } from '../setup/env-server.js';

const python = async (program: string, ...args: string[]): Promise<string> => {
  const env = { ...process.env, PYTHONPATH: resolve('clients/python'), PYTHONDONTWRITEBYTECODE: '1' };
  return (await promisify(execFile)('python3', [program, ...args], { env })).stdout;
};
const gymnasium = spawnSync('python3', ['-c', 'import gymnasium']).status === 0;
if (!gymnasium) console.warn('the Gymnasium environment is NOT TESTED: gymnasium is not installed');

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
  test('pays one scripted policy the same by itself, in a vector and through Gymnasium', async () => {
    const played = JSON.parse(await python('test/fixtures/play-scripted.py', server.url)) as Record<string, unknown[]>;
    const { client } = played;
    expect(client).toEqual([null, null, expect.any(Number), expect.any(Number)]);
    expect(played['vector']).toEqual([client, client]);
    if (gymnasium) expect(played['gymnasium']).toEqual(client!.map((reward) => reward ?? 0));
  });

  test('trains a policy: the edit that pays best is chosen more often', async () => {
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
