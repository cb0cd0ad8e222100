import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const DIST = resolve(import.meta.dirname, '../../dist');
const NOBODY = '127.0.0.1:1';

let home: string;
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'bench-test-'));
  // At a program's end: of how many files V8 took the code, and of how many not.
  writeFileSync(
    join(home, 'tell.cjs'),
    `const { loaded } = require(${JSON.stringify(join(DIST, 'bundle/load-bundle.cjs'))});
    process.on('exit', () => {
      const refused = [...loaded.values()].filter(({ script }) => script.cachedDataRejected !== false).length;
      process.stderr.write('\\ntook ' + (loaded.size - refused) + ', refused ' + refused + '\\n');
    });`,
  );
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

async function start(flags: readonly string[], program: string, ...args: string[]) {
  const env = {
    BENCH_HOME: home,
    BENCH_DEBUG: '1',
    DATABASE_URL: `postgres://${NOBODY}/none`,
    TEMPORAL_ADDRESS: NOBODY,
  };
  const words = [...flags, '-r', join(home, 'tell.cjs'), join(DIST, program), ...args];
  const { stdout, stderr } = await execa(process.execPath, words, { env, reject: false, input: '{}', cwd: home });
  const [, took, refused] = /took (\d+), refused (\d+)/.exec(stderr) ?? [];
  return { stdout, stderr, took: Number(took), refused: Number(refused) };
}

describe('the code that the build has compiled', () => {
  it.each(['cli/main.js', 'worker/main.js', 'services/supervisor-main.js'])('is taken by %s', async (program) => {
    const { took, refused } = await start([], program);
    expect(took).toBeGreaterThan(1);
    expect(refused).toBe(0);
  });

  it('may be refused, as by another version of Node', async () => {
    const { stdout, took, refused } = await start(['--no-opt'], 'cli/main.js', 'agents', '--json');
    expect({ took, refused: refused > 1 }).toEqual({ took: 0, refused: true });
    expect(stdout).toBe((await start([], 'cli/main.js', 'agents', '--json')).stdout);
    expect(JSON.parse(stdout)).toHaveProperty('agents');
  });

  it('names its own files in a stack as in every installation', async () => {
    const { stderr } = await start([], 'cli/main.js', 'show', 'nothing');
    expect(stderr).toMatch(/ at .*\(durabench\/dist\/bundle\/[\w-]+\.cjs:\d+:\d+\)/);
    expect(stderr).not.toContain(`(${DIST}/bundle/command-line`);
    expect(stderr).not.toContain(`(${DIST}/bundle/chunk`);
  });

  it('gives way to the sources where these are to be told', async () => {
    const { stderr } = await start(['--enable-source-maps'], 'cli/main.js', 'show', 'nothing');
    expect(stderr).toMatch(/at .*\(.*services\/[\w/-]+\.ts:\d+:\d+\)/);
  });
});
