import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { BenchError } from '../../../domain/errors.js';
import { findAssetsRoot, readSettings } from '../../../operations/settings.js';

const made: string[] = [];
afterEach(() => made.splice(0).forEach((dir) => rmSync(dir, { recursive: true, force: true })));
function temporary(): string {
  const dir = mkdtempSync(join(tmpdir(), 'bench-settings-'));
  made.push(dir);
  return dir;
}
const assetsRoot = findAssetsRoot();

describe('settings', () => {
  it('come from the environment before ./.env before $BENCH_HOME/.env', () => {
    const [cwd, home] = [temporary(), temporary()];
    writeFileSync(join(cwd, '.env'), `BENCH_HOME=${home}\nDATABASE_URL=postgres://cwd/a\nTEMPORAL_ADDRESS=cwd:1\n`);
    writeFileSync(
      join(home, '.env'),
      'DATABASE_URL=postgres://home/a\nTEMPORAL_ADDRESS=home:1\nTEMPORAL_NAMESPACE=home\nOPENAI_API_KEY="k#1"\n',
    );
    const settings = readSettings({ DATABASE_URL: 'postgres://real/a', PATH: '/bin' }, cwd, assetsRoot);
    expect(settings).toMatchObject({
      home,
      databaseUrl: 'postgres://real/a',
      temporalAddress: 'cwd:1',
      temporalNamespace: 'home',
    });
    expect(settings.env).toMatchObject({ BENCH_HOME: home, OPENAI_API_KEY: 'k#1', PATH: '/bin' });
  });

  it('refuse an address of Temporal with a scheme, which its clients would not understand', () => {
    const read = (address: string) => readSettings({ TEMPORAL_ADDRESS: address }, temporary(), assetsRoot);
    for (const wrong of ['http://localhost:7233', 'localhost:', 'host:1/x', 'a b:1'])
      expect(() => read(wrong)).toThrow('which is not host:port');
    for (const right of ['localhost:7233', 'temporal.example.org', '[::1]:7233', '10.0.0.1:7233'])
      expect(read(right).temporalAddress).toBe(right);
  });

  it('take an empty value for nothing said', () => {
    const cwd = temporary();
    writeFileSync(join(cwd, '.env'), 'TEMPORAL_ADDRESS=cwd:1\n');
    const settings = readSettings({ HOME: cwd, TEMPORAL_ADDRESS: '', DATABASE_URL: '' }, cwd, assetsRoot);
    expect(settings.temporalAddress).toBe('cwd:1');
    expect(settings.databaseUrl).toBeUndefined();
  });

  it('default to a home and a cache in the user’s home directory', () => {
    const cwd = temporary();
    const settings = readSettings({ HOME: '/home/somebody' }, cwd, assetsRoot);
    expect(settings).toMatchObject({
      home: '/home/somebody/.bench',
      cacheDir: '/home/somebody/.cache/bench',
      configFolders: ['/home/somebody/.bench/configs', join(assetsRoot, 'configs')],
      temporalNamespace: 'default',
      worker: 'embedded',
    });
  });

  it('take a relative home from the working directory, and ~ from the user’s home', () => {
    const cwd = temporary();
    expect(readSettings({ HOME: '/h', BENCH_HOME: 'try' }, cwd, assetsRoot).home).toBe(join(cwd, 'try'));
    expect(readSettings({ HOME: '/h', BENCH_HOME: '~/try' }, cwd, assetsRoot).home).toBe('/h/try');
  });

  it.each([
    [{ BENCH_WORKER: 'none' }, 'BENCH_WORKER'],
    [{ BENCH_CONFIGS: 'nowhere' }, 'BENCH_CONFIGS'],
  ])('refuse %j with exit code 2', (environment, name) => {
    const act = (): unknown => readSettings({ HOME: '/h', ...environment }, temporary(), assetsRoot);
    expect(act).toThrow(BenchError);
    expect(act).toThrow(name);
  });

  it('name an .env that cannot be read', () => {
    const cwd = temporary();
    mkdirSync(join(cwd, '.env'));
    expect(() => readSettings({ HOME: '/h' }, cwd, assetsRoot)).toThrow(join(cwd, '.env'));
  });
});
