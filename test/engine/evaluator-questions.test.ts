import { rm } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { EvaluationJob, EvaluationOutcome } from '../../domain/ports/evaluator-port.js';
import { fixtureJob, processesWith, smallJob } from './evaluation-job.js';
import { FULL_ON_LOCAL, skipWhatIsTheProgramsOwn } from './brief-adapters.js';
import { LONG } from '../setup/long.js';
import { type EvaluatorHarness, evaluatorHarnesses } from './evaluator-harness.js';

/** Asks f once, or as the body says. */
const refereeOf = (body: string): string => `
def evaluate(player):
${body
  .trim()
  .split('\n')
  .map((line) => `    ${line}`)
  .join('\n')}
`;
const askThrice = (seconds: number): string =>
  refereeOf(`return {"Score": sum(player.ask(n, seconds=${seconds}) for n in range(3))}`);
/** With time for answers that come at once. */
const ASK_THRICE = askThrice(50);
const ANSWER = 'def row_strategy(n):\n    return n\n';

/** The oracle's heuristic, after hostile lines that run at import. */
const branching = (before: string): string => `
${before}
from collections import Counter

def heuristic_fn(clauses, assignments, conflict_count, assignment_history, level):
    free = [[literal for literal in clause if abs(literal) not in assignments] for clause in clauses]
    shortest = min(map(len, free))
    counts = Counter(literal for clause in free if len(clause) == shortest for literal in clause)
    literal = max(sorted(counts), key=counts.__getitem__)
    return abs(literal), literal > 0
`;
const BRANCHED = {
  kind: 'ok',
  metrics: { decisions: 422, time: expect.any(Number) as number, incorrect: 0 },
};
const VOCABULARY = 28;

// Those of other adapters are also evaluator-kinds'.
const adapters = Object.keys(evaluatorHarnesses).filter((name) => LONG || name === 'docker');

describe.each(adapters)('questions to a submitted function on %s', (name) => {
  let harness: EvaluatorHarness;
  const folders: string[] = [];
  beforeAll(async () => {
    harness = await (evaluatorHarnesses[name] as () => Promise<EvaluatorHarness>)();
  });
  beforeEach(
    skipWhatIsTheProgramsOwn(
      name,
      /scored by the decisions|starter on test|new process where|rings or secret|nothing of the referee|gains nothing from|runs code/,
      FULL_ON_LOCAL,
    ),
  );
  afterEach(async () => {
    expect(await harness.traces()).toEqual([]);
    for (const dir of folders.splice(0)) await rm(dir, { recursive: true, force: true });
  });
  afterAll(() => harness.close());

  const evaluate = (job: EvaluationJob): Promise<EvaluationOutcome> =>
    harness.port.evaluate(job, new AbortController().signal);
  async function answer(
    code: string,
    referee = ASK_THRICE,
    options: Parameters<typeof smallJob>[1] = {},
  ): Promise<EvaluationOutcome> {
    const evaluator = { ...options.evaluator, kind: 'questions' as const };
    const job = await smallJob(code, { ...options, referee, evaluator });
    folders.push(job.taskDir);
    return evaluate(job);
  }
  const messageOf = (outcome: EvaluationOutcome): string => {
    expect(outcome).toMatchObject({ kind: 'rejected' });
    return (outcome as { message: string }).message;
  };

  describe('what is asked and answered', () => {
    it("arrives as it was sent: Python's plain values there, JSON back", async () => {
      const referee = refereeOf(`
found = player.ask({1: True, (2, 3): None}, {4, 5}, b"\\x00\\xff", [1.5, "é"], 10**30)
assert found == {"all": [1, 2.5, None, True, "é"], "big": 10**30}, found
return {"Score": player.questions}`);
      const code = `
def row_strategy(a, b, c, d, e):
    assert (a, b, c, d, e) == ({1: True, (2, 3): None}, {4, 5}, b"\\x00\\xff", [1.5, "é"], 10**30)
    a.clear()
    return {"all": (1, 2.5, None, True, "é"), "big": e}
`;
      expect(await answer(code, referee)).toEqual({ kind: 'ok', metrics: { Score: 1 } });
    });

    it('may be many at once, bytes, or floats, larger than a pipe holds', async () => {
      const referee = refereeOf(`
assert player.ask_each(((n, n + 1) for n in range(10_000)), max_bytes=10**6) == [2 * n + 1 for n in range(10_000)]
assert player.ask_each([]) == []
data = bytes(range(256)) * 4000
assert player.ask_bytes(data, b"", max_bytes=len(data)) == data
floats = player.ask_floats(500_000, [[0.5] * 1000] * 500, [])
assert len(floats) == 500_000 and set(floats) == {0.5}
return {"Score": player.questions}`);
      expect(await answer('def row_strategy(a, b):\n    return a + b\n', referee)).toEqual({
        kind: 'ok',
        metrics: { Score: 10_002 },
      });
    });

    it("is timed by the referee's clock, import left out", async () => {
      const referee = refereeOf(`
player.start()
assert player.seconds == 0
for n in range(3): player.ask(n)
return {"Score": player.seconds}`);
      const code = `
import time
nap = time.sleep
nap(0.3)
time.sleep = time.monotonic = time.perf_counter = time.time = lambda *_: 0
def row_strategy(n):
    nap(0.1)
`;
      const outcome = await answer(code, referee);
      expect(outcome).toMatchObject({ kind: 'ok' });
      expect(outcome.kind === 'ok' && outcome.metrics['Score']).toBeGreaterThanOrEqual(0.3);
    });

    it('is asked of a new process where the referee wants one, for which the last one can leave nothing', async () => {
      const referee = refereeOf(`
import sys
found = []
for turn in range(4):
    player.renew()
    found.append(player.ask(turn))
assert player.questions == 4 and player.seconds > 0
sys.stderr.write(repr(found))
# Nothing stays where the temporary folders are the machine's own.
player.renew()
return {"Score": len([one for one in found if one == []])}`);
      const code = `
import ctypes, os, signal, time
libc = ctypes.CDLL(None, use_errno=True)
PLACES = [folder for folder in ("/tmp", "/dev/shm", "/var/tmp", "/dev/mqueue", os.getcwd(), "/output") if os.access(folder, os.W_OK)]
earlier = []
def row_strategy(turn):
    found = ["memory"] * len(earlier)
    for place in PLACES:
        found += [place for name in os.listdir(place) if name.startswith("left")]
    found += ["segment"] * (libc.shmget(77, 0, 0) >= 0) + ["queue"] * (libc.msgget(77, 0) >= 0) + ["lock"] * (libc.semget(77, 0, 0) >= 0)
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            found += ["daemon"] * (b"left-behind" in open("/proc/%s/cmdline" % name, "rb").read())
        except OSError:
            pass
    earlier.append(turn)
    for place in PLACES:
        if place != "/dev/mqueue":
            os.makedirs(os.path.join(place, "left", "deep"), exist_ok=True)
            open(os.path.join(place, "left", "deep", "file"), "w").write("x")
            os.symlink("/", os.path.join(place, "left", "link")) if not os.path.lexists(os.path.join(place, "left", "link")) else None
            os.chmod(os.path.join(place, "left", "deep"), 0)
    libc.shmget(77, 4096, 0o1600), libc.msgget(77, 0o1600), libc.semget(77, 1, 0o1600)
    if os.fork() == 0:
        os.setsid()
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        os.execv("/bin/sh", ["sh", "-c", "while :; do sleep 1; done", "left-behind"])
    time.sleep(0.2)
    return found
`;
      expect(await answer(code, referee)).toEqual({ kind: 'ok', metrics: { Score: 4 } });
    });

    it('have no timers of the kernel, rings or secret memory', async () => {
      const code = `
import ctypes, errno, platform
timerfd = {"x86_64": 283, "aarch64": 85}[platform.machine()]
def row_strategy(n):
    libc = ctypes.CDLL(None, use_errno=True)
    failed = [libc.syscall(number, 1, 0) == -1 and ctypes.get_errno() == errno.ENOSYS for number in (timerfd, 425, 447)]
    return failed == [True] * 3
`;
      expect(await answer(code, refereeOf('return {"Score": int(player.ask(0) is True)}'))).toEqual({
        kind: 'ok',
        metrics: { Score: 1 },
      });
    });

    it("goes through the task's own module in the player's process, where it has one", async () => {
      const files = {
        'player/adapter.py': 'import strategy\ndef row_strategy(n):\n    return strategy.model(n) + 1\n',
      };
      const job = await smallJob('def model(n):\n    return n\n', {
        referee: ASK_THRICE,
        evaluator: { kind: 'questions' },
        files,
      });
      folders.push(job.taskDir);
      const task = { ...job.task, evaluator: { ...job.task.evaluator, module: 'adapter' } } as typeof job.task;
      expect(await evaluate({ ...job, task })).toEqual({ kind: 'ok', metrics: { Score: 6 } });
    });
  });

  describe('rejected with the place and the reason', () => {
    it.each<[string, string, string | RegExp]>([
      [
        'an exception, with its own frames only',
        'def row_strategy(n):\n    return 1 / (1 - n)\n',
        /^The submission failed in question 2:\nFile "strategy.py", line 2[^\n]*: ZeroDivisionError: division by zero$/,
      ],
      [
        'what is no plain value',
        'def row_strategy(n):\n    return object()\n',
        'expected plain values, as JSON has them',
      ],
      ['NaN', 'def row_strategy(n):\n    return float("nan")\n', 'expected plain values, as JSON has them'],
      [
        'NaN past the harness',
        'import os\ndef row_strategy(n):\n    os.write(4, b"J\\0\\0\\0\\x03NaN")\n',
        'an invalid answer in question 1: it is not valid JSON: it holds NaN',
      ],
      [
        'brackets without end',
        'import os\ndef row_strategy(n):\n    os.write(4, b"J\\0\\0\\x80\\0" + b"[" * 32768)\n',
        'it is nested too deeply',
      ],
      [
        'bytes that are no text',
        'import os\ndef row_strategy(n):\n    os.write(4, b"J\\0\\0\\0\\x02\\xff\\xfe")\n',
        'it is not valid JSON',
      ],
      [
        'another kind of answer',
        'import os\ndef row_strategy(n):\n    os.write(4, b"F\\0\\0\\0\\x04abcd")\n',
        'it is of another kind',
      ],
      [
        'four gigabytes',
        'import os\ndef row_strategy(n):\n    os.write(4, b"J\\xff\\xff\\xff\\xff")\n',
        'it has 4294967295 bytes; expected at most 65536 bytes',
      ],
      ['a long answer', 'def row_strategy(n):\n    return "x" * 70_000\n', 'expected at most 65536 bytes'],
      [
        'a late answer',
        'import time\ndef row_strategy(n):\n    time.sleep(60 * n)\n    return n\n',
        'took longer than 6 s in question 2',
      ],
      [
        'an answer of which each byte comes in time, and the whole too late',
        'import os, time\ndef row_strategy(n):\n    os.write(4, b"J\\0\\0\\0\\x64")\n    while True:\n        os.write(4, b" ")\n        time.sleep(0.5)\n',
        'took longer than 6 s in question 1',
      ],
      [
        'a closed channel',
        'import os, time\ndef row_strategy(n):\n    os.close(4)\n    time.sleep(60)\n',
        'in question 1: it closed the channel',
      ],
      ['an early end', 'import os\ndef row_strategy(n):\n    os._exit(0)\n', 'its process ended with exit code 0'],
      ['too much memory', 'def row_strategy(n):\n    return len([0] * 10**9)\n', 'MemoryError'],
    ])('%s', async (_, code, reason) => {
      const late = typeof reason === 'string' && reason.includes('longer than 6 s');
      const message = messageOf(await answer(code, late ? askThrice(6) : ASK_THRICE));
      expect(message).toMatch(reason);
      expect(message).not.toContain('bench_player');
    });

    it('requests that are never read', async () => {
      const referee = refereeOf('return {"Score": player.ask("x" * 10_000_000, seconds=2)}');
      const code = 'import os, time\nos.write(4, b"\\x01")\ntime.sleep(60)\n';
      expect(messageOf(await answer(code, referee))).toContain('took longer than 2 s in question 1');
    });

    it("what the referee cannot use, with the referee's reason", async () => {
      const referee = refereeOf(`
player.context = "instance 5"
raise player.invalid("expected a colour, got %r" % player.ask(0))`);
      expect(messageOf(await answer(ANSWER, referee))).toContain(
        'an invalid answer in question 1 (instance 5): expected a colour, got 0',
      );
    });

    it("a question that cannot be sent is the evaluator's fault", async () => {
      const outcome = await answer(ANSWER, refereeOf('return {"Score": player.ask(object())}'));
      expect(outcome).toMatchObject({ kind: 'evaluator_error' });
      expect((outcome as { message: string }).message).toContain('unmarshallable');
    });
  });

  describe('CPU time', () => {
    const charged = refereeOf(`
player.start()
before = player.cpu_seconds()
player.ask(0, seconds=300)
return {"Score": player.cpu_seconds() - before}`);
    const scoreOf = async (body: string): Promise<number> => {
      const code = `
import os, threading, time

def burn():
    # Of this process's own time.
    while time.process_time() < 1.5:
        pass

def row_strategy(n):
${body.replace(/^/gm, '    ')}
    return 0
`;
      const outcome = await answer(code, charged);
      if (outcome.kind !== 'ok') throw new Error(JSON.stringify(outcome));
      return outcome.metrics['Score'] ?? NaN;
    };

    it('is what was computed, not what was waited', async () => {
      expect(await scoreOf('time.sleep(3)')).toBeLessThan(1);
    });

    it.each([
      ['the function itself', 'burn()'],
      ['a thread', 'thread = threading.Thread(target=burn)\nthread.start()\nthread.join()'],
      ['a child', 'if os.fork() == 0:\n    burn()\n    os._exit(0)\nos.wait()'],
      [
        'an orphan',
        `
reading, writing = os.pipe()
if os.fork() == 0:
    if os.fork() == 0:
        burn()
    os._exit(0)
os.close(writing)
os.read(reading, 1)`.trim(),
      ],
    ])('counts what %s computes', async (_, body) => {
      expect(await scoreOf(body)).toBeGreaterThan(1);
    });
  });

  describe('a heuristic in a solver', () => {
    const heuristic = (code: string): Promise<EvaluationJob> =>
      fixtureJob('satHeuristic', 'oracle', 'test', { 'heuristic.py': code });

    it('is scored by the decisions that it needs', async () => {
      expect(await evaluate(await fixtureJob('satHeuristic', 'oracle'))).toEqual(BRANCHED);
      const starter = await evaluate(await fixtureJob('satHeuristic', 'starter'));
      expect(starter).toMatchObject({ kind: 'ok', metrics: { incorrect: 0 } });
      expect(starter.kind === 'ok' && starter.metrics['decisions']).toBeGreaterThan(430);
    });

    it.each([
      ['None', /expected \(variable, True or False\), got None/],
      ['(99, True)', /99 is not an unassigned variable/],
      [
        '(assignment_history[0] if assignment_history else 1, True)',
        /question \d+ \(instance \d+\): \d+ is not an unassigned/,
      ],
    ])('that returns %s is rejected', async (value, reason) => {
      const code = `def heuristic_fn(clauses, assignments, conflict_count, assignment_history, level):\n    return ${value}\n`;
      expect(messageOf(await evaluate(await heuristic(code)))).toMatch(reason);
    });

    it('finds nothing of the referee in files, memory, and descriptors', async () => {
      const code = branching(`
import glob, os
found = []
for path in ('../evaluator', '../job.json', '/job/evaluator/referee.py', '/mnt/evaluator/referee.py', '../evaluator/referee.py'):
    try:
        found.append(os.listdir(path) if os.path.isdir(path) else open(path).read(20))
    except OSError:
        pass
for path in glob.glob('/proc/[0-9]*'):
    if os.path.basename(path) == str(os.getpid()): continue
    for name in ('mem', 'maps', 'environ', 'fd', 'cwd/referee.py'):
        try:
            there = os.path.join(path, name)
            data = os.listdir(there) if name == 'fd' else open(there, 'rb').read(20)
            if data: found.append((there, data))
        except OSError:
            pass
if found: raise RuntimeError(found)`);
      expect(await evaluate(await heuristic(code))).toEqual(BRANCHED);
    });

    it('gains nothing from children, which die with the evaluation', async () => {
      const marker = `86404.${process.pid}${Math.floor(Math.random() * 1e6)}`;
      const code = branching(`
import os
for _ in range(3):
    if os.fork() == 0:
        os.setsid()
        os.execv('/bin/sleep', ['sleep', '${marker}'])`);
      expect(await evaluate(await heuristic(code))).toEqual(BRANCHED);
      await vi.waitFor(async () => expect(await processesWith(marker)).toEqual([]), { timeout: 120_000 });
    });
  });

  describe('a language model', () => {
    const model = (body: string, before = ''): Promise<EvaluationJob> => {
      const code = `${before}\ndef next_logits(tokens, new):\n    ${body.replaceAll('\n', '\n    ')}\n`;
      return fixtureJob('charLm', 'oracle', 'test', { 'model.py': code });
    };
    const uniform = { kind: 'ok', metrics: { val_loss: expect.closeTo(Math.log(VOCABULARY), 6) as number } };

    it.each([
      ['starter', 'validation', 2.74668],
      ['starter', 'test', 2.802428],
      ['oracle', 'validation', 0.65182],
      ['oracle', 'test', 0.636989],
    ] as const)('%s on %s', async (from, split, loss) => {
      expect(await evaluate(await fixtureJob('charLm', from, split))).toEqual({
        kind: 'ok',
        metrics: { val_loss: expect.closeTo(loss, 5) as number },
      });
    });

    it.each(['0.0', '3e38', '-3e38'])('whose logits are all %s is uniform', async (logit) => {
      expect(await evaluate(await model(`return [[${logit}] * ${VOCABULARY}] * len(tokens)`))).toEqual(uniform);
    });

    it('that is very sure loses by what it claims', async () => {
      const body = `return [[1e30] + [0.0] * ${VOCABULARY - 1}] * len(tokens)`;
      const outcome = await evaluate(await model(body));
      expect(outcome.kind === 'ok' && outcome.metrics['val_loss']).toBeGreaterThan(1e29);
    });

    it('has seen no character before it must predict it', async () => {
      const body = `
waiting = array.array('i', [0])
fcntl.ioctl(3, termios.FIONREAD, waiting)
assert waiting[0] == 0, waiting
return [[0.0] * ${VOCABULARY}] * len(tokens)`;
      expect(await evaluate(await model(body, 'import array, fcntl, termios'))).toEqual(uniform);
    });

    it('that answers ahead answers blindly', async () => {
      const ahead = `
import os
frame = b'F' + (8 * ${VOCABULARY} * 4).to_bytes(4, 'big') + bytes(8 * ${VOCABULARY} * 4)
os.write(4, b'\\x01' + frame * 3)
`;
      expect(await evaluate(await model(`return [[0.0] * ${VOCABULARY}] * len(tokens)`, ahead))).toMatchObject({
        kind: 'rejected',
        message: expect.stringMatching(/another kind|numbers/) as string,
      });
    });

    it.each([
      ['NaN', `return [[float('nan')] * ${VOCABULARY}] * len(tokens)`, 'a logit is not a finite number'],
      ['infinities', `return [[float('inf')] * ${VOCABULARY}] * len(tokens)`, 'a logit is not a finite number'],
      ['beyond 32 bits', `return [[1e300] * ${VOCABULARY}] * len(tokens)`, 'a logit is not a finite number'],
      ['too few', `return [[0.0] * ${VOCABULARY - 1}] * len(tokens)`, 'expected 224 numbers, got 216'],
      ['too many', `return [[0.0] * ${VOCABULARY + 1}] * len(tokens)`, 'expected at most 224 numbers'],
      ['text', `return 'abc'`, 'expected numbers'],
      ['nothing', `return None`, 'expected numbers'],
    ])('with logits that are %s is rejected', async (_, body, reason) => {
      const message = messageOf(await evaluate(await model(body)));
      expect(message).toContain(reason);
      expect(message).toMatch(/in question 1/);
    });

    it('may be a pickle that runs code: only where no answers are', async () => {
      const code = `
import pickle, os, glob
class Thief:
    def __reduce__(self):
        return (eval, ("look()",))
found = []
def look():
    for path in ('../evaluator/test.txt', '/job/evaluator/test.txt', '/mnt/evaluator/test.txt', *glob.glob('/proc/[0-9]*/cwd/test.txt')):
        try:
            found.append(open(path).read())
        except OSError:
            pass
pickle.loads(pickle.dumps(Thief()))
if found: raise RuntimeError(found)
`;
      expect(await evaluate(await model(`return [[0.0] * ${VOCABULARY}] * len(tokens)`, code))).toEqual(uniform);
    });
  });
});
