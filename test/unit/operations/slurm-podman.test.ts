import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { slurmJobSchema } from '../../../domain/requests/slurm.js';
import { slurmScript } from '../../../operations/home/hosts/slurm-script.js';

const WITHIN = { timeout: 30_000, interval: 50 };

/** Prints its arguments, serves a socket until it is ended, and is nobody in no namespace. */
const PODMAN = `#!/bin/bash
echo "$* in $XDG_RUNTIME_DIR" >>"$LOG"
case "$*" in
  *'system service'*)
    [ -z "\${BROKEN:-}" ] || { echo 'no subuid ranges' >&2; exit 125; }
    exec '${process.execPath}' -e '
      const { appendFileSync } = require("node:fs");
      process.on("SIGTERM", () => { appendFileSync(process.env.LOG, "service ended\\n"); process.exit(0); });
      require("node:net").createServer().listen(process.argv[1].slice("unix://".length));
    ' "\${!#}" ;;
  *'unshare rm -rf'*) rm -rf "\${!#}" ;;
esac
`;

describe('a job without root', () => {
  let dir: string;
  let jobs: ChildProcess[];
  let printed: string;
  const program = (name: string, text: string): void => writeFileSync(join(dir, name), text, { mode: 0o755 });
  const asked = (): string[] => {
    const log = join(dir, 'log');
    return existsSync(log) ? readFileSync(log, 'utf8').trimEnd().split('\n') : [];
  };

  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'bench-slurm-'));
    [jobs, printed] = [[], ''];
    for (const name of ['joined', 'tmp', 'user', 'cwd']) mkdirSync(join(dir, name));
    writeFileSync(join(dir, 'joined', '.env'), 'DATABASE_URL=secret\n');
    program('podman', PODMAN);
    program('id', '#!/bin/sh\necho "${STANDS_FOR:-1000}"\n');
    program('squeue', '#!/bin/sh\necho 2030-01-01T00:00:00\n');
    // Hands its runs on with the engine that is still there.
    program(
      'bench',
      `#!/bin/bash
end() { grep -c 'service ended' "$LOG"; echo handed on; exit 3; }
trap end USR2
echo "works $BENCH_HOME \${BENCH_PODMAN_HOST:-alone}"
[ -n "\${STAYS:-}" ] || exit 3
while :; do sleep 0.1; done
`,
    );
  });
  afterEach(() => {
    for (const job of jobs) job.kill('SIGKILL');
    rmSync(dir, { recursive: true, force: true });
  });

  /** A script as Slurm starts it, and its end. */
  const start = (
    env: Record<string, string> = {},
    changed: (text: string) => string = (text) => text,
  ): { job: ChildProcess; status: Promise<number | null> } => {
    const text = slurmScript({
      ...slurmJobSchema.parse({}),
      ...{ home: join(dir, 'joined'), command: [join(dir, 'bench')] },
    });
    const job = spawn('bash', ['-c', changed(text)], {
      env: {
        ...{ PATH: `${dir}:${process.env['PATH'] ?? ''}`, HOME: join(dir, 'user'), TMPDIR: join(dir, 'tmp') },
        ...{ SLURM_JOB_ID: '7', LOG: join(dir, 'log'), ...env },
      },
      cwd: join(dir, 'cwd'),
    });
    jobs.push(job);
    for (const stream of [job.stdout, job.stderr]) stream.on('data', (chunk: Buffer) => (printed += String(chunk)));
    return { job, status: new Promise((settle) => job.once('exit', settle)) };
  };
  const worker = async (): Promise<{ home: string; engine: string }> => {
    await vi.waitFor(() => expect(printed).toMatch(/works .*\n/), WITHIN);
    const [, home = '', engine = ''] = /works (\S+) (\S+)\n/.exec(printed) ?? [];
    return { home, engine };
  };
  const nothingIsLeft = async (home: string, engine: string): Promise<void> => {
    await vi.waitFor(() => expect(existsSync(dirname(engine.slice('unix://'.length)))).toBe(false), WITHIN);
    expect(existsSync(home)).toBe(false);
    expect(asked().filter((line) => line === 'service ended')).toHaveLength(1);
  };

  it("has podman's service while its worker runs, with a store and a socket of its own", async () => {
    const { status } = start({ TMPDIR: join(dir, 'tmp'), XDG_RUNTIME_DIR: '/nowhere' });
    expect(await status).toBe(3);
    const { home, engine } = await worker();
    expect(engine).toMatch(/^unix:\/\/\/tmp\/bench-podman-\w{10}\/podman\.sock$/);
    const runtime = dirname(engine.slice('unix://'.length));
    expect(asked()[0]).toBe(
      `--root ${home}/podman --runroot ${runtime}/store system service --time=0 ${engine} in ${runtime}`,
    );
    await nothingIsLeft(home, engine);
  });

  it.each(['SIGUSR2', 'SIGTERM'] as const)('has it until its worker has handed on after %s', async (signal) => {
    const { job, status } = start({ STAYS: '1' });
    const { home, engine } = await worker();
    job.kill(signal);
    expect(await status).toBe(3);
    expect(printed).toContain('0\nhanded on\n');
    await nothingIsLeft(home, engine);
  });

  it.each(['SIGTERM', 'SIGKILL'] as const)('leaves nothing of it when its shell ends by %s alone', async (signal) => {
    program('podman', PODMAN.replace('esac', '  *version*) exit 1 ;;\nesac'));
    const { job } = start();
    await vi.waitFor(() => expect(asked().join('\n')).toContain('version'), WITHIN);
    const [, home = '', engine = ''] = /--root (\S+)\/podman .* (unix:\S+) in/.exec(asked()[0] ?? '') ?? [];
    job.kill(signal);
    await nothingIsLeft(home, engine);
  });

  it('ends as its worker does, however early that ends', async () => {
    const { status } = start({ STANDS_FOR: '0' }, (text) => {
      expect(text).toContain('worker=$!\n');
      return text.replace('worker=$!\n', 'worker=$!\nsleep 1\n');
    });
    expect(await status).toBe(3);
  });

  it('has its worker work without it when it does not start, and says so', async () => {
    const { status } = start({ BROKEN: '1' });
    expect(await status).toBe(3);
    const { home, engine } = await worker();
    expect(engine).toBe('alone');
    expect(printed).toMatch(/no subuid ranges\n[^]*podman's service does not start[^]*works/);
    expect(existsSync(home)).toBe(false);
  });

  it('starts it again when it ends before the job', async () => {
    const { job, status } = start({ STAYS: '1' });
    const { engine } = await worker();
    const services = (): number => asked().filter((line) => line.includes('system service')).length;
    spawn('pkill', ['-KILL', '-f', `^${process.execPath} .*${engine.slice('unix://'.length)}$`]);
    await vi.waitFor(() => expect(services()).toBe(2), WITHIN);
    job.kill('SIGUSR2');
    expect(await status).toBe(3);
  });

  it('leaves a store that the user names as it is, with what podman notes about it', async () => {
    mkdirSync(join(dir, 'user/.config/containers'), { recursive: true });
    writeFileSync(join(dir, 'user/.config/containers/storage.conf'), '[storage]\n  graphroot = "/scratch/me"\n');
    expect(await start({ XDG_RUNTIME_DIR: join(dir, 'user') }).status).toBe(3);
    const { engine } = await worker();
    expect(asked()[0]).toBe(`system service --time=0 ${engine} in ${join(dir, 'user')}`);
    expect(asked().join('\n')).not.toContain('rm -fa');
  });

  it.each([
    ['its user is root', { STANDS_FOR: '0' }, {}],
    ['the environment names docker', { DOCKER_HOST: 'unix:///x' }, {}],
    ['the environment names podman', { BENCH_PODMAN_HOST: 'unix:///x' }, {}],
    ["the home's .env does", {}, { joined: 'DATABASE_URL=secret\nBENCH_PODMAN_HOST=unix:///x\n' }],
    ['the .env beside it does', {}, { cwd: 'export DOCKER_HOST = unix:///x\n' }],
  ])('starts none where %s', async (_, env, files) => {
    for (const [folder, text] of Object.entries(files)) writeFileSync(join(dir, folder, '.env'), text);
    expect(await start(env).status).toBe(3);
    expect(asked()).toEqual([]);
    expect((await worker()).engine).toBe((env as Record<string, string>)['BENCH_PODMAN_HOST'] ?? 'alone');
  });
});
