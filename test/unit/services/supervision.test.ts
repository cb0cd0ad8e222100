import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { databaseError, withoutPassword } from '../../../services/external-services.js';
import { lock, tryLock } from '../../../services/file-lock.js';
import { chooseFreePort, portIsFree } from '../../../services/free-port.js';
import { lastLogLines, rotateLog } from '../../../services/log-file.js';
import { RestartBackoff } from '../../../services/restart-backoff.js';
import { readServicesFile, writeFileAtomically } from '../../../services/services-file.js';
import { goneSettings, workerDiffers, workerFingerprint } from '../../../services/supervisor-options.js';
import { temporalArguments } from '../../../services/temporal-server.js';

const dir = mkdtempSync(join(tmpdir(), 'bench-unit-services-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

describe('restart backoff', () => {
  it('starts below a second, doubles to 3 s, and starts over after ten healthy seconds', () => {
    const backoff = new RestartBackoff();
    const delays = Array.from({ length: 12 }, () => backoff.nextDelay(0));
    expect(delays.slice(0, 4)).toEqual([200, 400, 800, 1600]);
    expect(delays.at(-1)).toBe(3000);
    expect(backoff.nextDelay(9_000)).toBe(3000);
    expect(backoff.nextDelay(11_000)).toBe(200);
  });
});

describe('file lock', () => {
  it('is held by one, and free after release', async () => {
    const path = join(dir, 'lock');
    const held = tryLock(path);
    expect(held).not.toBeNull();
    expect(tryLock(path)).toBeNull();
    let waited = 0;
    setTimeout(() => held?.release(), 100);
    (await lock(path, { timeoutMs: 10_000, onWait: () => (waited += 1) })).release();
    expect(waited).toBe(1);
  });
});

describe('ports', () => {
  it('are free ones, below the range of outgoing connections, other for other homes', async () => {
    const port = await chooseFreePort('home a');
    expect(port).toBeGreaterThanOrEqual(20_000);
    expect(port).toBeLessThan(32_768);
    const server = createServer().listen(port, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    expect(await portIsFree(port)).toBe(false);
    expect(await chooseFreePort('home a')).not.toBe(port);
    server.close();
  });
});

describe('logs', () => {
  it('are moved aside above their limit, and keep growing from nothing', () => {
    const path = join(dir, 'some.log');
    writeFileSync(path, 'one\ntwo\n\nthree\n');
    expect(lastLogLines(path, 2)).toEqual(['three']);
    expect(lastLogLines(path, 3)).toEqual(['two', 'three']);
    expect(rotateLog(path, 1000)).toBe(false);
    expect(rotateLog(path, 4)).toBe(true);
    expect(statSync(path).size).toBe(0);
    expect(readFileSync(`${path}.1`, 'utf8')).toContain('three');
    expect(lastLogLines(join(dir, 'none.log'))).toEqual([]);
  });
});

describe('services.json', () => {
  it('counts as absent when it cannot be understood', () => {
    const path = join(dir, 'services.json');
    expect(readServicesFile(path)).toBeNull();
    for (const text of ['', '{', '{"version":2}']) {
      writeFileAtomically(path, text);
      expect(readServicesFile(path)).toBeNull();
    }
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(existsSync(`${path}.${process.pid}.tmp`)).toBe(false);
  });
});

describe('worker settings', () => {
  const worker = (env: Record<string, string>) => ({
    ...{ command: ['node', '-e', '0'], env },
    ...{ keys: ['LAB_ACCESS'], addresses: ['LAB_ADDRESS'] },
  });
  const running = workerFingerprint(worker({ OPENAI_API_KEY: 'a', PWD: '/x' }));

  it('differ by keys that are new or changed, not by those that another terminal gave, nor by the rest', () => {
    const differs = (env: Record<string, string>) => workerDiffers(running, workerFingerprint(worker(env)));
    expect(differs({ OPENAI_API_KEY: 'a', PWD: '/y', COLUMNS: '80' })).toBe(false);
    expect(differs({ PWD: '/y' })).toBe(false);
    expect(differs({ OPENAI_API_KEY: 'b' })).toBe(true);
    expect(differs({ ANTHROPIC_API_KEY: 'c' })).toBe(true);
    expect(workerDiffers(undefined, running)).toBe(true);
  });

  it('are watched by the names that the model files give them', () => {
    const lab = workerFingerprint(worker({ LAB_ADDRESS: 'http://a/v1', LAB_ACCESS: 'key' }));
    const differs = (env: Record<string, string>) => workerDiffers(lab, workerFingerprint(worker(env)));
    expect(differs({ LAB_ADDRESS: 'http://b/v1', LAB_ACCESS: 'key' })).toBe(true);
    expect(differs({ LAB_ADDRESS: 'http://a/v1', LAB_ACCESS: 'other' })).toBe(true);
    expect(differs({ LAB_ADDRESS: 'http://a/v1', LAB_ACCESS: 'key' })).toBe(false);
  });

  it('have the keys of the bucket only where artifacts lie in one', () => {
    const given = { AWS_SECRET_ACCESS_KEY: 'a', AWS_PAGER: 'less' };
    const differs = (env: Record<string, string>, to: Record<string, string>) =>
      workerDiffers(workerFingerprint(worker(env)), workerFingerprint(worker(to)));
    expect(differs(given, { AWS_SECRET_ACCESS_KEY: 'b' })).toBe(false);
    const inBucket = { ...given, BENCH_ARTIFACTS: 's3://bucket' };
    expect(differs(inBucket, { ...inBucket, AWS_SECRET_ACCESS_KEY: 'b' })).toBe(true);
    expect(differs(inBucket, { ...inBucket, AWS_PAGER: 'cat' })).toBe(false);
  });

  it('that have gone are told to a command that gives work, but for keys', () => {
    const given = {
      OPENAI_BASE_URL: 'http://proxy/v1',
      LAB_ADDRESS: 'http://a/v1',
      OPENAI_API_KEY: 'a',
      LAB_ACCESS: 'b',
    };
    const gone = (env: Record<string, string>) =>
      goneSettings(workerFingerprint(worker(given)), workerFingerprint(worker(env)), { keys: ['LAB_ACCESS'] });
    expect(gone(given)).toEqual([]);
    expect(gone({})).toEqual(['OPENAI_BASE_URL', 'LAB_ADDRESS']);
    expect(gone({ OPENAI_BASE_URL: 'http://other/v1' })).toEqual(['LAB_ADDRESS']);
  });

  it('never show a key', () => {
    expect(JSON.stringify(workerFingerprint(worker({ OPENAI_API_KEY: 'sk-hush' })))).not.toContain('hush');
  });
});

describe('database errors', () => {
  const url = 'postgresql://me:hush@db.example:5432/x';

  it('say what is wrong, wherever the code is, and never the password', () => {
    const nested = new Error('Failed query', { cause: Object.assign(new Error('hush'), { code: '28P01' }) });
    expect(databaseError(url, nested).message).toContain('wrong user or password');
    const both = new AggregateError([Object.assign(new Error('no'), { code: 'ECONNREFUSED' })]);
    expect(databaseError(url, both).message).toContain('connection refused');
    expect(databaseError(url, nested).message).not.toContain('hush');
    expect(withoutPassword(url)).toBe('postgresql://me:***@db.example:5432/x');
    expect(withoutPassword('hush')).not.toContain('hush');
  });
});

describe('the embedded Temporal server', () => {
  it('listens on loopback only, keeps its store in a file, knows our search attributes', () => {
    const args = temporalArguments({ databaseFile: '/h/t.db', port: 7, namespace: 'default' }).join(' ');
    expect(args).toContain('--headless --ip 127.0.0.1 --port 7 --db-filename /h/t.db');
    for (const name of ['BatchId', 'Model', 'Task', 'RunStatus'])
      expect(args).toContain(`--search-attribute ${name}=Keyword`);
    expect(args).not.toContain('--namespace');
    expect(temporalArguments({ databaseFile: 'f', port: 7, namespace: 'team' }).join(' ')).toContain(
      '--namespace team',
    );
  });
});
