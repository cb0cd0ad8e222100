import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { probeEngine } from '../../backends/docker/engine.js';
import { newRunId } from '../../domain/ids.js';
import type { CommandOutcome, SandboxRef } from '../../domain/ports/sandbox-port.js';
import { LONG } from '../setup/long.js';
import { dockerUnderTest, localUnderTest, type BackendUnderTest } from './sandbox-port-backends.js';

const never = new AbortController().signal;
const root = process.getuid?.() === 0;
const engineExpected = root || (await probeEngine()).kind === 'ok';

/** Enough to see a number grow; BENCH_TEST_TIMEOUTS and BENCH_TEST_OUTPUT_BYTES ask for more. */
const TIMEOUTS = Number(process.env.BENCH_TEST_TIMEOUTS ?? 20);
const OUTPUT_BYTES = Number(process.env.BENCH_TEST_OUTPUT_BYTES ?? (LONG ? 1_500_000_000 : 400_000_000));
const MOST_GROWTH = 100 * 1024 * 1024;

describe.runIf(engineExpected)('hostile commands on docker', () => suite('docker', dockerUnderTest));
// Long suite: the local backend isolates nothing, and runs these by the same supervisor.
describe.runIf(LONG && process.platform === 'linux')('hostile commands on local', () => suite('local', localUnderTest));

function suite(name: 'docker' | 'local', make: () => Promise<BackendUnderTest>) {
  let backend: BackendUnderTest;
  let ref: SandboxRef;
  let n = 0;

  const world = () => ({ starterDir: backend.starterDir, network: 'none' as const, gpuDevices: [] });
  beforeAll(async () => {
    backend = await make();
    ref = { runId: newRunId(), epoch: 1 };
    const limits = { memoryMb: 512, cpus: 2, pids: 200 };
    await backend.sandbox.start({ ...ref, ...world(), limits, memory: [] });
  });
  afterAll(async () => {
    await backend?.close();
  });

  const run = (script: string, timeLimitSeconds = 60, silenceLimitSeconds?: number): Promise<CommandOutcome> =>
    backend.sandbox.run(
      ref,
      { n: ++n, script, timeLimitSeconds, ...(silenceLimitSeconds !== undefined && { silenceLimitSeconds }) },
      never,
    );

  const goesOn = async () => expect(await run('echo on')).toMatchObject({ output: 'on\n', exitCode: 0, lost: false });

  it('are stopped when they print nothing for too long, and keep what they printed', async () => {
    const outcome = await run('echo begun; kept=yes; sleep 300', 60, 4);
    expect(outcome).toMatchObject({ output: 'begun\n', timedOut: true, interrupted: false, stoppedBy: 'silence' });
    expect((await run('echo $kept')).output).toBe('yes\n');
  });

  it.runIf(LONG || name === 'docker')('may be slow as long as they print something', async () => {
    const outcome = await run('for i in 1 2 3 4 5 6 7 8; do echo $i; sleep 0.8; done', 60, 5);
    expect(outcome).toMatchObject({ timedOut: false, stoppedBy: null, exitCode: 0 });
  });

  it('that exceed their time limit keep what they printed, and say which limit it was', async () => {
    const outcome = await run('echo begun; sleep 300', 4);
    expect(outcome).toMatchObject({ output: 'begun\n', timedOut: true, stoppedBy: 'time' });
  });

  it.runIf(LONG || name === 'docker')('that time out again and again leave no process behind', async () => {
    const count = async () => Number((await run('ps -o pid= -u "$(id -u)" | wc -l')).output);
    const before = await count();
    for (let i = 0; i < TIMEOUTS; i++)
      expect(await run('sleep 400 & (setsid sleep 401 &); sleep 402', 0.05)).toMatchObject({ timedOut: true });
    // One fewer if an earlier test's process ended meanwhile. Another process reaps orphans.
    await vi.waitFor(async () => expect(await count()).toBeLessThanOrEqual(before), 60_000);
    await vi.waitFor(async () => expect((await run('ps -o stat= -u "$(id -u)" | grep Z')).output).toBe(''), 60_000);
  });

  it.runIf(LONG)('that print gigabytes cost the worker and the supervisor little memory', async () => {
    let most = process.memoryUsage().rss;
    const before = most;
    const watch = setInterval(() => (most = Math.max(most, process.memoryUsage().rss)), 20);
    const outcome = await run(`head -c ${OUTPUT_BYTES} /dev/zero`, 300);
    clearInterval(watch);
    expect(outcome).toMatchObject({ exitCode: 0, outputBytes: OUTPUT_BYTES });
    expect(most - before).toBeLessThan(MOST_GROWTH);
    const supervisor = await run(`ps -eo rss,args | grep '[s]andbox_main.py' | sort -n | tail -1`);
    expect(Number.parseInt(supervisor.output.trim(), 10) * 1024).toBeLessThan(MOST_GROWTH);
  });

  it('get no inotify instance, of which all runs of a host have 128 together', async () => {
    const script = [
      'import ctypes, errno, os, platform',
      'libc = ctypes.CDLL(None, use_errno=True)',
      'watches = {"x86_64": (253, 294, 300), "aarch64": (26, 262)}[platform.machine()]',
      'for number in watches:',
      '    print(libc.syscall(number, 0, 0), errno.errorcode[ctypes.get_errno()])',
      'libc.syscall(watches[0], 0, 0)',
    ].join('\n');
    const { output } = await run(`python3 - <<'END'\n${script}\nEND`);
    expect(new Set(output.trim().split('\n'))).toEqual(new Set(['-1 ENOSYS']));
    // What waits for a file polls.
    const follow =
      'echo one > log; : > seen; tail -f log > seen 2> told & echo two >> log; until grep two seen; do sleep 0.1; done; kill $!';
    expect(await run(follow)).toMatchObject({ output: 'two\n', timedOut: false });
  });

  it('may hold all the room for pipes that the kernel gives their user: pipes of other runs carry all the same', async () => {
    const held = await run(
      `python3 -c '
import fcntl, os, time
pipes = [os.pipe() for _ in range(200)]
for _, end in pipes:
    try:
        fcntl.fcntl(end, 1031, 1 << 20)  # F_SETPIPE_SZ
    except OSError:
        break
open("held", "w").write("yes")
time.sleep(600)' & until [ -s held ]; do sleep 0.05; done; cat held; kept=$!`,
    );
    expect(held).toMatchObject({ output: 'yes', exitCode: 0 });
    const other = { runId: newRunId(), epoch: 1 };
    await backend.sandbox.start({ ...other, ...world(), limits: { memoryMb: 512, cpus: 2, pids: 200 } });
    const script = 'head -c 20000000 /dev/zero | tr "\\0" x | wc -c; echo $(echo substituted) | cat';
    expect(await backend.sandbox.run(other, { n: 1, script, timeLimitSeconds: 60 }, never)).toMatchObject({
      output: '20000000\nsubstituted\n',
      exitCode: 0,
    });
    await backend.sandbox.stop(other);
    await run('kill $kept');
  });

  it('that print one very long line have its head and tail', async () => {
    const { output, outputBytes } = await run(`printf 'start'; head -c 3000000 /dev/zero | tr '\\0' x; printf 'end'`);
    expect(outputBytes).toBe(3_000_008);
    expect(output).toMatch(/^startx/);
    expect(output).toMatch(/xend$/);
  });

  it('may be a megabyte of text', async () => {
    expect(await run(`: ${'y'.repeat(1_000_000)}\necho end`)).toMatchObject({ output: 'end\n', exitCode: 0 });
  });

  it('may hold NUL bytes, which are left out', async () => {
    expect((await run('echo a\0b')).output).toBe('ab\n');
  });

  it('may take PATH and HOME away', async () => {
    await run('path=$PATH home=$HOME; export PATH=/nowhere; unset HOME');
    expect(await run('echo "[$PATH][${HOME-none}]"')).toMatchObject({ lost: false, notice: null });
    const outcome = await run('ls');
    expect(outcome).toMatchObject({ exitCode: 127, lost: false });
    await run('export PATH=$path HOME=$home');
    await goesOn();
  });

  it('may set TMOUT and cover read, which do not reach the wait for the next command', async () => {
    await run('TMOUT=1; read() { false; }');
    await run('sleep 1.5');
    expect(await run('echo $TMOUT; unset TMOUT; unset -f read')).toMatchObject({ output: '1\n', stateReset: false });
  });

  it.skipIf(name === 'local' && !root)(
    'find their state although a daemon has killed the shell that waited with it',
    async () => {
      // Whoever sends a signal to everyone does not get it itself.
      await run('mark=kept');
      await run('(setsid bash -c "sleep 0.3; kill -9 -1; touch killed-again" &) >/dev/null 2>&1');
      await vi.waitFor(
        async () => {
          const found = await backend.sandbox.collect(ref, ['killed-again'], 10);
          if (found.kind !== 'files') throw new Error('not killed yet');
        },
        { timeout: 120_000, interval: 20 },
      );
      expect(await run('echo $mark')).toMatchObject({ output: 'kept\n', stateReset: false, notice: null });
    },
  );

  it('are not fooled about tools by functions and aliases', async () => {
    await run('validate() { echo mine; }; alias submit="echo mine"');
    expect(await run('validate; submit')).toMatchObject({ output: 'mine\nmine\n', requested: null });
    expect((await run('unset -f validate; unalias submit; validate > /dev/null')).requested).toBe('validate');
  });

  it.skipIf(name === 'local')('end for good when they fork without end', async () => {
    const outcome = await run('b() { b | b & }; b; sleep 300', 2);
    expect(outcome).toMatchObject({ timedOut: true, lost: false });
    await goesOn();
  });

  it.skipIf(name === 'local')('that exhaust the memory are killed, and the next one runs', async () => {
    const outcome = await run(`python3 -c "x = [bytearray(1 << 20) for _ in range(4000)]"`);
    expect(outcome).toMatchObject({ lost: false, exitCode: 137, memoryKills: 1 });
    // One that ends otherwise, or whose limit another one met, tells of none.
    expect((await run('kill -9 $$')).memoryKills).toBeUndefined();
    await goesOn();
  });

  it.skipIf(name === 'local')(
    'that exhaust the memory in the background are told of with the next command',
    async () => {
      await run(`python3 -c "
import time
while not __import__('os').path.exists('/tmp/now'): time.sleep(0.01)
x = [bytearray(1 << 20) for _ in range(4000)]" > /dev/null 2>&1 & echo $! > /tmp/victim`);
      const outcome = await run(
        'touch /tmp/now; while kill -0 "$(cat /tmp/victim)" 2>/dev/null; do sleep 0.05; done; rm /tmp/now',
      );
      expect(outcome).toMatchObject({ lost: false, exitCode: 0, memoryKills: 1 });
      expect((await run('true')).memoryKills).toBeUndefined();
    },
  );

  it('may add to the memory while they run, within limits', async () => {
    const ask = [
      'import base64, os, socket, sys',
      'os.chdir(sys.argv[1] if os.path.exists(sys.argv[1] + "/sock") else "/run/bench-tools")',
      'for text in sys.argv[2].split("|"):',
      '    asking = socket.socket(socket.AF_UNIX); asking.connect("sock")',
      '    asking.sendall(b"memory " + base64.b64encode(eval(text)) + b"\\n"); print(asking.recv(999).decode(), end="")',
    ].join('\n');
    await run(`cat > ask.py <<'END'\n${ask}\nEND`);
    const request = (texts: string) => run(`python3 ask.py "$(dirname "$(command -v validate)")" '${texts}'`);
    const added = await request(`b"a fact"|b"\\xff"|b"x" * 20000|b""`);
    expect(added.output.split('\n').map((line) => line.split(' ')[0])).toEqual([
      'ok',
      'refused',
      'refused',
      'refused',
      '',
    ]);
    expect(added.memories).toEqual(['a fact']);
    expect((await request('b"%d" % 1|'.repeat(40).slice(0, -1))).memories).toHaveLength(32);
    expect((await run('rm ask.py')).memories).toEqual([]);
  });

  it('may have a file open in the agent’s tools, and may not forge one', async () => {
    const note = (text: string) => run(`mkdir -p ~/.bench; printf '%s' '${text}' > ~/.bench/state.json`);
    expect((await note('{"openFile": "/home/agent/workspace/a.py"}')).toolState.openFile).toBe(
      '/home/agent/workspace/a.py',
    );
    expect((await note('{"openFile": 3}')).toolState.openFile).toBeNull();
    expect((await note('['.repeat(60_000))).toolState.openFile).toBeNull();
    expect((await run('rm ~/.bench/state.json; mkfifo ~/.bench/state.json')).toolState.openFile).toBeNull();
    const linked = `rm ~/.bench/state.json; echo '{"openFile": "/x"}' > there; ln -s $PWD/there ~/.bench/state.json`;
    expect((await run(linked)).toolState.openFile).toBeNull();
    await run('rm -r ~/.bench there');
  });
}
