import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { probeEngine } from '../../backends/docker/engine.js';
import { execRequest } from '../../backends/shell/exec-request.js';
import { SandboxLost } from '../../domain/errors.js';
import { newRunId } from '../../domain/ids.js';
import type { ExecResult, SandboxExec, SandboxRef, SandboxSpec } from '../../domain/ports/sandbox-port.js';
import { LONG } from '../setup/long.js';
import { testPodman } from '../setup/podman-engine.js';
import {
  type BackendUnderTest,
  dockerUnderTest,
  localUnderTest,
  podmanUnderTest,
  remoteUnderTest,
} from './sandbox-port-backends.js';

const never = new AbortController().signal;
const root = process.getuid?.() === 0;
const engineExpected = root || (await probeEngine()).kind === 'ok';
const podmanThere = (await probeEngine(testPodman())).kind === 'ok';
const MB = 1024 * 1024;

type Ended = Extract<ExecResult, { kind: 'ended' }>;

describe.runIf(engineExpected)('plain exec on docker', () => suite('docker', dockerUnderTest));
describe.runIf(engineExpected)('plain exec on docker (remote)', () => suite('docker (remote)', remoteUnderTest));
describe.runIf(podmanThere)('plain exec on podman', () => suite('podman', podmanUnderTest));
// Long suite: the same supervisor, which the tests of python/ and home/ have without a container.
describe.runIf(LONG && process.platform === 'linux')('plain exec on local', () => suite('local', localUnderTest));

function suite(name: 'docker' | 'docker (remote)' | 'podman' | 'local', make: () => Promise<BackendUnderTest>) {
  const separate = name !== 'local' || root;
  // A remote engine costs an engine's exec per request: the long suite has all of it.
  const everything = LONG || name !== 'docker (remote)';
  let backend: BackendUnderTest;
  let ref: SandboxRef;
  let n = 0;
  let commands = 0;

  const begin = async (more: Partial<SandboxSpec['limits']> = {}): Promise<SandboxRef> => {
    const started = { runId: newRunId(), epoch: 1 };
    const limits = { memoryMb: 512, cpus: 2, pids: 200, ...more };
    await backend.sandbox.start({
      ...started,
      starterDir: backend.starterDir,
      network: 'none',
      gpuDevices: [],
      limits,
      environment: { GIVEN: 'to all' },
    });
    return started;
  };
  beforeAll(async () => {
    backend = await make();
    ref = await begin();
  });
  afterAll(async () => {
    await backend?.close();
  });

  const order = (argv: string[], more: Partial<SandboxExec> = {}): SandboxExec => ({
    key: `exec-${++n}`,
    argv,
    timeLimitSeconds: 120,
    ...more,
  });
  const ask = (exec: SandboxExec, of = ref): Promise<ExecResult> => backend.sandbox.exec(of, exec, never);
  const ended = async (result: Promise<ExecResult>): Promise<Ended> => {
    const found = await result;
    if (found.kind !== 'ended') throw new Error(`${found.kind}: ${found.why}`);
    return found;
  };
  const run = (argv: string[], more: Partial<SandboxExec> = {}): Promise<Ended> => ended(ask(order(argv, more)));
  const sh = (script: string, more: Partial<SandboxExec> = {}): Promise<Ended> => run(['sh', '-c', script], more);
  const says = async (script: string): Promise<string> => (await sh(script)).stdout.kept.toString();
  const appears = (path: string) =>
    vi.waitFor(async () => expect(await says(`cat ${path} 2>&1`)).not.toContain('No such'), {
      timeout: 120_000,
      interval: 50,
    });

  it.runIf(everything)('passes arguments as they are', async () => {
    const argv = [
      'a b',
      '"quoted"',
      "it's",
      '$HOME `id` $(id)',
      'two\nlines\n',
      '',
      '*',
      '\\',
      'ünïcode ✓',
      '--',
      '-n',
    ];
    const { stdout, exitCode } = await run([
      'python3',
      '-c',
      'import json,sys; print(json.dumps(sys.argv[1:]))',
      ...argv,
    ]);
    expect(JSON.parse(stdout.kept.toString())).toEqual(argv);
    expect(exitCode).toBe(0);
  });

  it.runIf(everything)('hands 32 MiB in as stdin, which may be opened anew', async () => {
    const stdin = randomBytes(32 * MB);
    const sha = createHash('sha256').update(stdin).digest('hex');
    expect((await run(['sha256sum', '/dev/stdin'], { stdin })).stdout.kept.toString()).toContain(sha);
    expect((await run(['wc', '-c'])).stdout.kept.toString().trim()).toBe('0');
    expect(await ask(order(['cat'], { stdin: Buffer.alloc(32 * MB + 1) }))).toMatchObject({
      kind: 'refused',
      reason: 'invalid',
    });
  });

  it('keeps both streams whole and apart, byte by byte', async () => {
    const script = [
      'import os, sys',
      'every = bytes(range(256)) * 8192',
      'for at in range(0, len(every), 65536):',
      '    os.write(1, every[at:at + 65536]); os.write(2, every[at:at + 65536][::-1])',
    ].join('\n');
    const { stdout, stderr } = await run(['python3', '-c', script]);
    const every = Buffer.alloc(2 * MB, Buffer.from(Array.from({ length: 256 }, (_, i) => i)));
    expect(stdout.kept.equals(every)).toBe(true);
    expect(stderr.kept.equals(Buffer.from(every).reverse())).toBe(true);
    expect([stdout.truncated, stderr.truncated]).toEqual([false, false]);
  });

  it.runIf(everything)('sets variables and folder; without them the sandbox’s own, and the workspace', async () => {
    expect(await says('pwd; echo $GIVEN')).toMatch(/workspace\nto all\n$/);
    const { stdout } = await sh('pwd; echo "$GIVEN $MORE"', { env: { MORE: 'a "b"\n$c' }, cwd: 'data' });
    expect(stdout.kept.toString()).toMatch(/workspace\/data\nto all a "b"\n\$c\n$/);
    expect((await run(['pwd'], { cwd: '/' })).stdout.kept.toString()).toBe('/\n');
    const nowhere = await run(['pwd'], { cwd: '/nowhere' });
    expect(nowhere).toMatchObject({ exitCode: 126 });
    expect(nowhere.stderr.kept.toString()).toContain('/nowhere');
  });

  it.runIf(everything && name !== 'local')('runs as any user of the container', async () => {
    const who = async (user?: string) =>
      (await sh('id -un; id -g; echo $HOME', user === undefined ? {} : { user })).stdout.kept.toString();
    expect(await who()).toBe('agent\n10001\n/home/agent\n');
    expect(await who('root')).toBe('root\n0\n/root\n');
    expect(await who('nobody')).toMatch(/^nobody\n65534\n/);
    expect((await sh('id -u; id -g; id -G', { user: '4711:4712' })).stdout.kept.toString()).toBe('4711\n4712\n4712\n');
    expect(await sh('mkdir /made && echo it > /made/file', { user: 'root' })).toMatchObject({ exitCode: 0 });
    // What root may enter is not what the user may.
    expect(await run(['pwd'], { cwd: '/root', user: 'nobody' })).toMatchObject({ exitCode: 126 });
    expect(await ask(order(['id'], { user: 'no-such-user' }))).toMatchObject({ kind: 'refused', reason: 'user' });
  });

  it.runIf(name === 'local')('runs as nobody else on a host', async () => {
    expect(await says('id -u')).toBe(await says('stat -c %u .'));
    for (const user of ['root', '0', 'nobody'].slice(root ? 0 : 2))
      expect(await ask(order(['id'], { user }))).toMatchObject({ kind: 'refused', reason: 'user' });
  });

  it.runIf(everything)('tells exit codes from signals', async () => {
    expect(await sh('exit 3')).toMatchObject({ exitCode: 3, signal: null, timedOut: false, stoppedBy: null });
    expect(await sh('kill -SEGV $$')).toMatchObject({ exitCode: 139, signal: 'SIGSEGV' });
    const missing = await run(['no-such-program']);
    expect(missing).toMatchObject({ exitCode: 127, signal: null });
    expect(missing.stderr.kept.toString()).toContain('no-such-program');
    expect(await run(['/etc/passwd'])).toMatchObject({ exitCode: 126 });
  });

  it.runIf(everything)('kills the whole tree at its time limit, daemons included, and nothing else', async () => {
    const beside = ask(order(['sleep', '3333']));
    // Ignoring the first signal takes two seconds: on one backend only.
    const deaf = name === 'docker' ? 'trap "" TERM; ' : '';
    const stubborn = `${deaf}echo begun; (setsid sleep 4441 &); sleep 4442 & sleep 4443`;
    const stopped = await sh(stubborn, { timeLimitSeconds: 0.5 });
    expect(stopped).toMatchObject({ timedOut: true, stoppedBy: 'time' });
    expect(stopped.stdout.kept.toString()).toBe('begun\n');
    expect(await says('ps -eo args | grep "[s]leep 444"')).toBe('');
    expect(await says('ps -eo args | grep "[s]leep 3333"')).toContain('sleep');
    await backend.sandbox.stopExec(ref, `exec-${n - 3}`);
    expect(await beside).toMatchObject({ stoppedBy: 'interrupt', signal: 'SIGTERM' });
  });

  it.runIf(everything)('runs ten at once', async () => {
    // Each waits for all.
    const script = 'touch "at-once-$1"; until [ "$(ls | grep -c at-once)" = 10 ]; do sleep 0.05; done; echo "$1"';
    const all = await Promise.all(Array.from({ length: 10 }, (_, i) => run(['sh', '-c', script, 'sh', `${i}`])));
    expect(all.map(({ stdout }) => stdout.kept.toString())).toEqual(Array.from({ length: 10 }, (_, i) => `${i}\n`));
  });

  it.runIf(everything)('leaves what it starts in the background, until it is stopped', async () => {
    const server = order(['sh', '-c', 'sh -c "echo up; while :; do echo on; sleep 0.05; done" & echo $! > server']);
    expect((await ended(ask(server))).exitCode).toBe(0);
    expect(await says('kill -0 $(cat server) && echo alive')).toBe('alive\n');
    await backend.sandbox.stopExec(ref, server.key);
    await vi.waitFor(async () => expect(await says('kill -0 $(cat server) 2>/dev/null || echo gone')).toBe('gone\n'), {
      timeout: 60_000,
    });
    await backend.sandbox.stopExec(ref, 'never-heard-of');
  });

  it('runs a key once, and refuses it to another request', async () => {
    const once = order(['sh', '-c', 'cat >> times; cat times; echo said >&2'], { stdin: Buffer.from('once\n') });
    const both = await Promise.all([ask(once), backend.another().exec(ref, once, never)]);
    expect(both[0]).toEqual(both[1]);
    expect((await ended(ask(once))).stdout.kept.toString()).toBe('once\n');
    expect(await ask({ ...once, timeLimitSeconds: 5 })).toEqual(both[0]);
    for (const other of [{ argv: ['true'] }, { stdin: Buffer.from('twice\n') }, { env: { A: 'b' } }, { cwd: '/' }])
      expect(await ask({ ...once, ...other })).toMatchObject({ kind: 'refused', reason: 'other_request' });
    expect(await says('cat times')).toBe('once\n');
    expect(await ask(order(['true'], { key: '../steps' }))).toMatchObject({ kind: 'refused', reason: 'invalid' });
  });

  it.runIf(everything)('goes on without whoever asked: another worker gets the same answer', async () => {
    const exec = order(['sh', '-c', 'echo begun >> lives; until [ -e go-on ]; do sleep 0.05; done; cat lives']);
    const worker = await backend.handOver(ref, execRequest(exec, null));
    await appears('lives');
    worker.kill('SIGKILL');
    await once(worker, 'exit');
    const given = new AbortController();
    const waiting = backend.sandbox.exec(ref, exec, given.signal);
    given.abort(new Error('the client went away'));
    await expect(waiting).rejects.toThrow('the client went away');
    const attached = backend.another().exec(ref, exec, never);
    await sh('touch go-on');
    expect((await ended(attached)).stdout.kept.toString()).toBe('begun\n');
    expect(await ask(exec)).toEqual(await attached);
  });

  it.runIf(everything)('and the shell leave each other alone', async () => {
    const shell = (script: string, timeLimitSeconds = 60) =>
      backend.sandbox.run(ref, { n: ++commands, script, timeLimitSeconds }, never);
    await shell('kept=yes');
    const command = shell('(setsid sleep 5551 &); touch at-work; sleep 5552');
    await appears('at-work');
    // Began after the command, which ends with all that began after it and is its own.
    const waiting = ask(order(['sh', '-c', 'touch beside; until [ -e enough ]; do sleep 0.05; done; echo $kept']));
    await appears('beside');
    await backend.sandbox.interrupt(ref, commands);
    expect(await command).toMatchObject({ interrupted: true });
    expect(await says('ps -eo args | grep "[s]leep 555"')).toBe('');
    expect(await shell('echo $kept; touch enough')).toMatchObject({ output: 'yes\n' });
    expect((await ended(waiting)).stdout.kept.toString()).toBe('\n');
  });

  it.runIf(everything)('counts a flood and keeps its start', async () => {
    const flood = await run(['sh', '-c', 'head -c 300000000 /dev/zero; echo end >&2'], { outputLimitBytes: 5 * MB });
    expect(flood).toMatchObject({ exitCode: 0, stdout: { bytes: 300_000_000, truncated: true } });
    expect(flood.stdout.kept.length).toBe(5 * MB);
    expect(flood.stderr).toMatchObject({ bytes: 4, truncated: false });
    const endless = await run(['yes'], { timeLimitSeconds: 0.3 });
    expect(endless).toMatchObject({ timedOut: true, stdout: { truncated: true } });
    expect(endless.stdout.kept.length).toBe(10 * MB);
  });

  it.runIf(name === 'local')('is stopped where its files exceed the limit of a watched workspace', async () => {
    const small = await begin({ workspaceMb: 8 });
    const writer = order(['sh', '-c', 'head -c 30000000 /dev/zero > much; sleep 7777']);
    expect(await ask(writer, small)).toMatchObject({ stoppedBy: 'workspace', signal: 'SIGKILL', timedOut: false });
    await backend.sandbox.stop(small);
  });

  it.runIf(everything && separate)('keeps its files where the agent’s user can neither write nor read', async () => {
    const control = backend.controlInside(ref);
    const tries = [
      `ls ${control} ${control}/execs`,
      `echo '{"exitCode": 0}' > ${control}/execs/exec-forged/outcome.json`,
      `mkdir ${control}/execs/exec-forged`,
      `echo forged > ${control}/execs/exec-${n + 1}/stdout`,
      // Its keeper is root's.
      'kill -9 $PPID',
      'ls /proc/$PPID/fd',
      'echo forged > /proc/self/fd/3',
    ];
    const { stdout } = await sh(
      tries.map((one) => `(${one}) >/dev/null 2>&1 && echo done: '${one.slice(0, 9)}'`).join('; '),
    );
    expect(stdout.kept.toString()).toBe('');
    expect(await ask(order(['echo', 'honest'], { key: 'exec-forged' }))).toMatchObject({
      kind: 'ended',
      stdout: { kept: Buffer.from('honest\n') },
    });
    // What it reads it cannot make larger.
    const grown = await sh('echo more >> /dev/stdin; chmod 777 /proc/self/fd/0', { stdin: Buffer.from('little') });
    expect(grown.stderr.kept.toString()).toMatch(/denied[^]*(denied|not permitted)/);
  });

  it('is lost with its sandbox, once and for all, and says so', async () => {
    const other = await begin();
    const told = await ended(ask(order(['echo', 'before']), other));
    const exec = order(['sh', '-c', 'echo begun; touch begun; sleep 6666']);
    const waiting = ask(exec, other);
    await vi.waitFor(async () => expect((await backend.sandbox.collect(other, ['begun'], 100)).kind).toBe('files'), {
      timeout: 60_000,
    });
    await backend.crash(other);
    expect(await waiting).toMatchObject({ kind: 'lost' });
    expect(await ask(exec, other)).toEqual(await waiting);
    expect(await ask({ ...exec, argv: ['true'] }, other)).toMatchObject({ reason: 'other_request' });
    // Those that had ended, and new ones.
    expect(await ask(order(['echo', 'before'], { key: `exec-${n - 1}` }), other)).toEqual(told);
    expect((await ended(ask(order(['pgrep', '-f', 'sleep 6666']), other))).exitCode).toBe(1);
    await backend.lose(other);
    await expect(ask(order(['true']), other)).rejects.toThrow(SandboxLost);
    await backend.sandbox.stop(other);
  });
}
