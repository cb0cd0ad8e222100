import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import Docker from 'dockerode';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createDockerEvaluator } from '../../backends/docker/evaluator.js';
import { InfrastructureError } from '../../domain/errors.js';
import type { EvaluationJob, EvaluationOutcome } from '../../domain/ports/evaluator-port.js';
import { COIN_REFEREE, gameJob, processesWith, REPOSITORY, smallJob } from './evaluation-job.js';
import { LONG } from '../setup/long.js';
import { FULL_ON_LOCAL, skipWhatIsTheProgramsOwn } from './brief-adapters.js';
import { type EvaluatorHarness, evaluatorHarnesses } from './evaluator-harness.js';

const ALWAYS = (move: string): string => `def row_strategy(history):\n    return ${move}\n`;

// Podman's evaluations are also those of evaluator-kinds.
describe.each(Object.keys(evaluatorHarnesses).filter((name) => LONG || name === 'docker'))(
  'evaluator port on %s',
  (name) => {
    let harness: EvaluatorHarness;
    const folders: string[] = [];

    beforeAll(async () => {
      harness = await (evaluatorHarnesses[name] as () => Promise<EvaluatorHarness>)();
    });
    beforeEach(
      skipWhatIsTheProgramsOwn(
        name,
        /for another seed|no such function|memory bomb|fork bomb|loop in a move|its own harness|reading the referee|killing, tracing|has no network|leaving a daemon|exception$|left$|aborts$/,
        FULL_ON_LOCAL,
      ),
    );
    afterEach(async () => {
      expect(await harness.traces()).toEqual([]);
      for (const dir of folders.splice(0)) await rm(dir, { recursive: true, force: true });
    });
    afterAll(() => harness.close());

    async function evaluate(job: EvaluationJob): Promise<EvaluationOutcome> {
      return harness.port.evaluate(job, new AbortController().signal);
    }
    async function play(code: string, options: Parameters<typeof smallJob>[1] = {}): Promise<EvaluationOutcome> {
      const job = await smallJob(code, options);
      folders.push(job.taskDir);
      return evaluate(job);
    }
    /** What honest play of the small game comes to; attacks that gain nothing come to the same. */
    let honest: Promise<EvaluationOutcome> | undefined;
    const honestly = (): Promise<EvaluationOutcome> => (honest ??= play(ALWAYS('1')));
    async function rejection(code: string, options: Parameters<typeof smallJob>[1] = {}): Promise<string> {
      const outcome = await play(code, options);
      expect(outcome).toMatchObject({ kind: 'rejected' });
      const { message } = outcome as { message: string };
      // Printable, and a line or two: what the submission saw is not to be told this way.
      expect(message).toMatch(/^[\n\x20-\x7e]{1,461}$/);
      return message;
    }

    describe('honest submissions', () => {
      // game-tasks.test.ts plays all games, here and in containers.
      it.runIf(LONG)('scores the starter of battleOfSexes at its known value', async () => {
        const outcome = await evaluate(await gameJob('battleOfSexes', 'starter'));
        expect(outcome).toMatchObject({ kind: 'ok' });
        const score = outcome.kind === 'ok' ? (outcome.metrics['Score'] ?? NaN) : NaN;
        expect(Math.abs(score - 1.02104)).toBeLessThan(3 * 0.0033);
      });

      it('gives the same metrics for the same job, and others for another seed', async () => {
        const first = await play(ALWAYS('1'), { seed: '01' });
        expect(first).toMatchObject({ kind: 'ok' });
        expect(await play(ALWAYS('1'), { seed: '01' })).toEqual(first);
        expect(await play(ALWAYS('1'), { seed: '02' })).not.toEqual(first);
      });

      it('makes hash order the same for the same seed', async () => {
        const code = `print(1)\ndef row_strategy(history):\n    return len(next(iter({'a', 'bb', 'ccc', 'dddd', 'e' * 5}))) % 2\n`;
        expect(await play(code)).toEqual(await play(code));
      });

      it('hands the history of the current game only, own move first', async () => {
        const code = `
seen = []
def row_strategy(history):
    if len(history) == 9:
        seen.append(history)
        assert [own for own, other in history] == [i % 2 for i in range(9)], history
        assert {other for own, other in history} <= {0, 1}
    return len(history) % 2
`;
        expect(await play(code)).toMatchObject({ kind: 'ok' });
      });

      it('plays games whose moves are lists of integers', async () => {
        const referee = `
from bench_tasks.games import Integers

def evaluate(table):
    moves = Integers(count=3, low=0, high=120, rule=lambda move: "more than 120 in all" if sum(move) > 120 else None)
    score = table.play_games(moves=moves, rounds=2, games=3, opponent=lambda history, rng: [1, 2, 3], payoff=lambda own, other: own[0] - other[0])
    return {"Score": score}
`;
        const code = `
def row_strategy(history):
    assert all(own == [40, 0, 80] and other == [1, 2, 3] for own, other in history), history
    return [40, 0, 80]
`;
        expect(await play(code, { referee })).toEqual({ kind: 'ok', metrics: { Score: 39 } });
        expect(await rejection(ALWAYS('[1, 2]'), { referee })).toContain('expected a list of 3 integers');
        expect(await rejection(ALWAYS('[100, 100, 0]'), { referee })).toContain('more than 120 in all');
      });
    });

    describe('faulty submissions are rejected with the reason', () => {
      it('no such function', async () => {
        expect(await rejection('def other(): pass\n')).toContain('strategy.py has no function row_strategy');
      });

      it('syntax error', async () => {
        const message = await rejection('def row_strategy(history)\n    return 0\n');
        expect(message).toContain('File "strategy.py", line 1');
        expect(message).toContain('SyntaxError');
      });

      it('failing import', async () => {
        expect(await rejection('import no_such_library\n')).toContain("No module named 'no_such_library'");
      });

      it('exception in the seventh move, with its place and its last line only', async () => {
        const message = await rejection(`
def deep(n):
    return deep(n - 1) if n else [][1]
def row_strategy(history):
    return deep(3) if len(history) == 6 else 0
`);
        expect(message).toMatch(
          /in game 1, round 7:\nFile "strategy\.py", line 3, in deep: IndexError: list index out of range$/,
        );
      });

      it('an error message of a megabyte is cut', async () => {
        expect(await rejection(`def row_strategy(history):\n    raise ValueError('x' * 1000000)\n`)).toContain(
          'xxx ... xxx',
        );
      });

      it.each(['2', '-1', 'None', '0.5', '10**30'])('move %s', async (move) => {
        const message = await rejection(ALWAYS(move));
        expect(message).toContain('in game 1, round 1');
        expect(message).toContain('expected an integer from 0 to 1');
      });

      it('an invalid move sent past the harness', async () => {
        const message = await rejection(`import os\nos.write(4, b'\\x01\\x07')\n${ALWAYS('0')}`);
        expect(message).toContain('invalid move in game 1, round 1: 7 is not in 0..1');
      });

      // Without it, the same referee meets them in a container.
      it.runIf(LONG || name === 'docker').each([
        ['in a move', 'def row_strategy(history):\n    while True: pass\n', 'in game 1, round 1'],
        ['at import', 'while True: pass\n', 'while it was imported'],
      ])('infinite loop %s', async (_, code, where) => {
        // Of CPU time: long enough to be met where it loops, not on its way there.
        const message = await rejection(code, { evaluator: { timeoutSeconds: 4 } });
        expect(message).toContain(`time limit of 4 s for the whole evaluation ran out ${where}`);
      });

      it('memory bomb', async () => {
        expect(await rejection(`def row_strategy(history):\n    return [0] * 10**9\n`)).toContain('MemoryError');
      });

      it.each([0, 7])('os._exit(%d)', async (code) => {
        const message = await rejection(`import os\ndef row_strategy(history):\n    os._exit(${code})\n`);
        expect(message).toContain(`in game 1, round 1: its process ended with exit code ${code}`);
      });

      it('killing itself', async () => {
        const message = await rejection(`import os\ndef row_strategy(history):\n    os.kill(os.getpid(), 9)\n`);
        expect(message).toContain('it was killed');
      });

      it('closing the channel and living on', async () => {
        const message = await rejection(`import os, time\nos.close(4)\ntime.sleep(100)\n`);
        expect(message).toContain('it closed the channel');
      });

      it('a channel flooded and never read', async () => {
        // More questions than a pipe holds.
        const referee = COIN_REFEREE.replace('games=20', 'games=7000');
        const code = `import os\nwhile True: os.write(4, b'\\x01' * 4096)\n`;
        expect(await rejection(code, { referee, evaluator: { timeoutSeconds: 3 } })).toContain('time limit');
      });
    });

    describe('hostile submissions gain nothing', () => {
      it.each([
        [
          'printing a result',
          `import sys\nprint('{"outcome": "ok", "metrics": {"Score": 9}}', flush=True)\nsys.stderr.write('{"outcome": "ok", "metrics": {"Score": 9}}\\n')`,
        ],
        [
          '10 MB on stdout and stderr',
          `import sys\nfor _ in range(10):\n    print('x' * 10**6)\n    sys.stderr.write('y' * 10**6)`,
        ],
        [
          'patching random, json, time and its own harness',
          `import random, json, time, sys, os
random.seed(1)
random.random = lambda: 0.0
random.Random.random = lambda self: 0.0
json.dumps = lambda *a, **k: '{"outcome": "ok", "metrics": {"Score": 9}}'
time.monotonic = lambda: 0.0
sys.modules['__main__'].receive = sys.modules['__main__'].receive`,
        ],
      ])('%s', async (_, prelude) => {
        expect(await honestly()).toMatchObject({ kind: 'ok' });
        expect(await play(`${prelude}\n${ALWAYS('1')}`)).toEqual(await honestly());
      });

      it('appending to the history', async () => {
        const code = `def row_strategy(history):\n    history.extend([(1, 1)] * 50)\n    return 1\n`;
        expect(await play(code)).toEqual(await honestly());
      });

      it('answering ahead of the questions only plays blindly', async () => {
        const code = `import os\nos.write(4, b'\\x01' * 201)\n${ALWAYS('1')}`;
        expect(await play(code)).toEqual(await honestly());
      });

      it('reading the referee, the order, the repository, memory and descriptors of others', async () => {
        const code = `
import glob, os
leaks = []
places = ['../evaluator', '../job.json', '/job/evaluator', '/job/job.json', '/mnt/evaluator', '/mnt/job.json',
          ${JSON.stringify(harness.secluded ? join(REPOSITORY, 'configs') : '/job')}]
for path in places + [place + '/referee.py' for place in places]:
    try:
        leaks.append((path, os.listdir(path) if os.path.isdir(path) else open(path).read(20)))
    except OSError:
        pass
others = [path for path in glob.glob('/proc/[0-9]*') if os.path.basename(path) != str(os.getpid())]
assert others, 'other processes were expected'
for other in others:
    for name in ('environ', 'maps', 'mem', 'fd', 'cwd/referee.py', 'root/job/job.json', 'stack', 'auxv'):
        path = os.path.join(other, name)
        try:
            found = os.listdir(path) if name == 'fd' else open(path, 'rb').read(20)
            if found:  # kernel threads have empty files that all may open
                leaks.append((path, found))
        except OSError:
            pass
for name in ('referee', 'bench_tasks', 'bench_tasks.games', 'init'):
    try:
        __import__(name)
        leaks.append(name)
    except ImportError:
        pass
fds = sorted(int(name) for name in os.listdir('/proc/self/fd'))
if len(fds) > 6:
    leaks.append(fds)
if any('SEED' in key and key != 'PYTHONHASHSEED' for key in os.environ):
    leaks.append(dict(os.environ))
if leaks:
    raise RuntimeError(leaks)
${ALWAYS('1')}`;
        expect(await play(code)).toEqual(await honestly());
      });

      it('killing, tracing and renicing the referee, and writing where others write', async () => {
        const code = `
import ctypes, glob, os, signal
gained = []
own = os.getpid()
for path in glob.glob('/proc/[0-9]*'):
    pid = int(os.path.basename(path))
    if pid == own:
        continue
    for what, attempt in {
        'kill': lambda: os.kill(pid, signal.SIGKILL),
        'stop': lambda: os.kill(pid, signal.SIGSTOP),
        'affinity': lambda: os.sched_setaffinity(pid, {0}),
        'stdout': lambda: os.write(os.open('/proc/%d/fd/1' % pid, os.O_WRONLY), b'{"outcome": "ok", "metrics": {"Score": 9}}'),
    }.items():
        try:
            attempt()
            gained.append((what, pid))
        except OSError:
            pass
    if ctypes.CDLL(None).ptrace(16, pid, 0, 0) == 0:
        gained.append(('ptrace', pid))
try:
    os.kill(-1, signal.SIGKILL)
except ProcessLookupError:
    pass
for path in ('planted.py', '../evaluator/planted.py', '/job/planted', '/mnt/planted', '/opt/bench/evaluator/init.py'):
    try:
        open(path, 'a')
        gained.append(path)
    except OSError:
        pass
try:
    os.setuid(0)
    gained.append('root')
except OSError:
    pass
if gained:
    raise RuntimeError(gained)
${ALWAYS('1')}`;
        expect(await play(code)).toEqual(await honestly());
      });

      it('has no network', async () => {
        if (!harness.secluded) return;
        const code = `
import socket
try:
    socket.create_connection(('10.255.255.1', 53), timeout=1)
    raise RuntimeError('connected')
except OSError as error:
    assert 'unreachable' in str(error), error
${ALWAYS('1')}`;
        expect(await play(code)).toMatchObject({ kind: 'ok' });
      });

      it('leaving a daemon: it dies with the evaluation', async () => {
        const marker = `86400.${process.pid}${Math.floor(Math.random() * 1e6)}`;
        const code = `
import os
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.execv('/bin/sleep', ['sleep', '${marker}'])
    os._exit(0)
${ALWAYS('1')}`;
        expect(await play(code)).toEqual(await honestly());
        await vi.waitFor(async () => expect(await processesWith(marker)).toEqual([]), { timeout: 120_000 });
      });

      // Without it, one is met in a container.
      it.runIf(LONG || name === 'docker')("a fork bomb that eats memory ends as the submission's fault", async () => {
        const code = `
import os
def row_strategy(history):
    for _ in range(40):
        try:
            if os.fork() == 0:
                try:
                    open('/proc/self/oom_score_adj', 'w').write('0')
                except OSError:
                    pass
                block = bytearray(90 * 1024 * 1024)
                while True: pass
        except OSError:
            pass
    while True: pass
`;
        await rejection(code, { evaluator: { timeoutSeconds: 3, memoryMb: 128 } });
      });
    });

    describe("the referee's faults are the evaluator's", () => {
      it.each([
        ['exception', 'def evaluate(table):\n    raise ValueError("oh")\n', /^referee\.py:2: ValueError: oh\n/],
        ['syntax error', 'def evaluate(table)\n', /^referee\.py:1: SyntaxError: /],
        ['missing metric', 'def evaluate(table):\n    return {}\n', 'not the declared ones'],
        ['extra metric', 'def evaluate(table):\n    return {"Score": 1, "More": 2}\n', 'not the declared ones'],
        ['NaN', 'def evaluate(table):\n    return {"Score": float("nan")}\n', 'Score is not a finite number'],
        ['text', 'def evaluate(table):\n    return {"Score": "1"}\n', 'Score is not a finite number'],
        ['exit', 'import os\ndef evaluate(table):\n    os._exit(0)\n', 'gave no result'],
      ])('%s', async (_, referee, reason) => {
        const outcome = await play(ALWAYS('0'), { referee });
        expect(outcome).toMatchObject({ kind: 'evaluator_error' });
        expect((outcome as { message: string }).message).toMatch(reason);
      });

      it('are told by their last line, however long what was written before', async () => {
        const referee = 'import sys\ndef evaluate(table):\n    sys.stderr.write("x" * 9000)\n    return {}["label"]\n';
        const { message } = (await play(ALWAYS('0'), { referee })) as { message: string };
        expect(message).toMatch(/^referee\.py:4: KeyError: 'label'\n[^]*KeyError: 'label'$/);
        expect(message.length).toBeLessThanOrEqual(4001);
      });
    });

    it('removes what a worker that died during the same job left', async () => {
      const job = await smallJob(ALWAYS('1'));
      folders.push(job.taskDir);
      await harness.leaveBehind(job);
      expect(await evaluate(job)).toMatchObject({ kind: 'ok' });
    });

    it('ends and removes everything when the caller aborts', async () => {
      const marker = `86401.${process.pid}${Math.floor(Math.random() * 1e6)}`;
      const job = await smallJob(`import os\nos.execv('/bin/sleep', ['sleep', '${marker}'])\n`, {
        evaluator: { timeoutSeconds: 300 },
      });
      folders.push(job.taskDir);
      const controller = new AbortController();
      const running = harness.port.evaluate(job, controller.signal);
      running.catch(() => undefined);
      await vi.waitFor(async () => expect(await processesWith(marker)).toHaveLength(1), { timeout: 120_000 });
      controller.abort(new Error('stop it'));
      await expect(running).rejects.toThrow('stop it');
      await vi.waitFor(async () => expect(await processesWith(marker)).toEqual([]), { timeout: 120_000 });
    });
  },
);

describe('evaluator on docker', () => {
  it.each([
    ['an engine that does not answer', new Docker({ socketPath: '/nonexistent/docker.sock' })],
    ['an image that is not there', new Docker()],
  ])('reports %s as a fault of the infrastructure', async (_, docker) => {
    const job = await smallJob(ALWAYS('1'));
    const port = createDockerEvaluator({ docker, imageRef: 'bench-test-no-such-image:1', homeTag: 'test' });
    await expect(port.evaluate(job, new AbortController().signal)).rejects.toThrow(InfrastructureError);
    await rm(job.taskDir, { recursive: true });
  });
});
