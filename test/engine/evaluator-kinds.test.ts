import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { EvaluationJob, EvaluationOutcome } from '../../domain/ports/evaluator-port.js';
import { fixtureJob, processesWith } from './evaluation-job.js';
import { FULL_ON_LOCAL, skipWhatIsTheProgramsOwn } from './brief-adapters.js';
import { type EvaluatorHarness, evaluatorHarnesses } from './evaluator-harness.js';
import { LONG } from '../setup/long.js';

/** A predict.py that answers as the oracle does, after and before hostile lines. */
const predicting = (before: string, after = ''): string => `
import csv, os, sys, pickle
inputs, outputs = sys.argv[1:]
${before}
with open(os.path.join(inputs, 'points.csv'), newline='') as file:
    points = [(row['id'], float(row['x'])) for row in csv.DictReader(file)]
with open(os.path.join(outputs, 'predictions.csv'), 'w', newline='') as file:
    writer = csv.writer(file)
    writer.writerow(['id', 'y'])
    writer.writerows((name, 2 * x + 1) for name, x in points)
${after}
`;

const PERFECT = { kind: 'ok', metrics: { rmse: expect.closeTo(0, 9) as number } };

describe.each(Object.keys(evaluatorHarnesses).filter((name) => LONG || name !== 'podman'))(
  'evaluation of every kind of submission on %s',
  (name) => {
    let harness: EvaluatorHarness;
    beforeAll(async () => {
      harness = await (evaluatorHarnesses[name] as () => Promise<EvaluatorHarness>)();
    });
    beforeEach(
      skipWhatIsTheProgramsOwn(name, /on each split|never shown|outputs folder|is dead|has no network/, FULL_ON_LOCAL),
    );
    afterEach(async () => expect(await harness.traces()).toEqual([]));
    afterAll(() => harness.close());

    const evaluate = (job: EvaluationJob): Promise<EvaluationOutcome> =>
      harness.port.evaluate(job, new AbortController().signal);
    async function rejection(job: Promise<EvaluationJob>): Promise<string> {
      const outcome = await evaluate(await job);
      expect(outcome).toMatchObject({ kind: 'rejected' });
      return (outcome as { message: string }).message;
    }

    describe('a table of predictions', () => {
      const table = (rows: string[], header = 'id,label'): string => [header, ...rows, ''].join('\n');
      const points = Array.from({ length: 100 }, (_, i) => `p${i + 60}`);
      const submitted = (content: string | Buffer): Promise<EvaluationJob> =>
        fixtureJob('csvClassification', 'oracle', 'test', { 'submission.csv': content });

      it('is scored on each split by itself', async () => {
        const score = async (from: 'starter' | 'oracle', split: 'validation' | 'test'): Promise<unknown> =>
          evaluate(await fixtureJob('csvClassification', from, split));
        expect(await score('oracle', 'validation')).toEqual({ kind: 'ok', metrics: { accuracy: 1 } });
        expect(await score('oracle', 'test')).toEqual({ kind: 'ok', metrics: { accuracy: 1 } });
        expect(await score('starter', 'validation')).toEqual({ kind: 'ok', metrics: { accuracy: 0.54 } });
        expect(await score('starter', 'test')).toEqual({ kind: 'ok', metrics: { accuracy: 0.56 } });
      });

      it.each<[string, string | Buffer, string]>([
        [
          'with another column',
          table(
            points.map((id) => `${id},1`),
            'id,class',
          ),
          'expected exactly id, label',
        ],
        ['with NaN', table(points.map((id) => `${id},nan`)), "line 2, column label: 'nan' is not an integer"],
        [
          'with a value out of range',
          table(points.map((id) => `${id},2`)),
          'line 2, column label: 2 is out of range (0 to 1)',
        ],
        ['with a row too many', table([...points, 'p999'].map((id) => `${id},1`)), 'more than the expected 100 rows'],
        [
          'with a row missing',
          table(points.slice(1).map((id) => `${id},1`)),
          'has 99 rows below its header; expected 100',
        ],
        ['with an id twice', table(points.map(() => `p60,1`)), "id 'p60' occurs twice"],
        ['with a field too many', table(points.map((id) => `${id},1,2`)), 'line 2: 3 fields; expected 2'],
        [
          'of ten million rows',
          Buffer.concat([Buffer.from('id,label\n'), Buffer.alloc(40_000_000, 'p,1\n')]),
          'more than 16777216 bytes',
        ],
        ['that is binary', Buffer.from([0x89, 0x50, 0xff, 0x00]), 'not UTF-8'],
        ['that is empty', '', 'the header names the columns'],
      ])('%s is rejected', async (_, content, reason) => {
        expect(await rejection(submitted(content))).toContain(reason);
      });
    });

    describe('a program with its model', () => {
      const program = (code: string, evaluator = {}): Promise<EvaluationJob> =>
        fixtureJob('programPredict', 'oracle', 'test', { 'predict.py': code }, evaluator);

      it('predicts from a pickle, on each split', async () => {
        for (const split of ['validation', 'test'] as const) {
          expect(await evaluate(await fixtureJob('programPredict', 'oracle', split))).toEqual(PERFECT);
          const starter = await evaluate(await fixtureJob('programPredict', 'starter', split));
          expect(starter).toMatchObject({ kind: 'ok', metrics: { rmse: expect.closeTo(5.2, 1) as number } });
        }
      });

      it.each<[string, string, string]>([
        ['that fails', 'def deep(): return 1 / 0\ndeep()', 'ZeroDivisionError'],
        ['that ends early', 'import os; os._exit(3)', 'its process ended with exit code 3'],
        ['that writes nothing', 'pass', 'ended without writing predictions.csv'],
        [
          'that writes NaN',
          predicting(
            '',
            "open(os.path.join(outputs, 'predictions.csv'), 'w').write('id,y\\n' + '\\n'.join(n + ',nan' for n, x in points))",
          ),
          "'nan' is not a finite number",
        ],
        [
          'that leaves a link',
          predicting(
            '',
            "p = os.path.join(outputs, 'predictions.csv'); os.remove(p); os.symlink('/job/evaluator/test-answers.csv', p)",
          ),
          'is a link, not a regular file',
        ],
        [
          'that leaves a FIFO',
          predicting('', "p = os.path.join(outputs, 'predictions.csv'); os.remove(p); os.mkfifo(p)"),
          'is a FIFO, not a regular file',
        ],
        [
          'that leaves a folder',
          predicting('', "p = os.path.join(outputs, 'predictions.csv'); os.remove(p); os.mkdir(p)"),
          'is a folder, not a regular file',
        ],
        [
          'that leaves a sparse file larger than its folder',
          predicting('', "os.truncate(os.path.join(outputs, 'predictions.csv'), 30_000_000)"),
          'more than 2097152 bytes in all outputs',
        ],
        ['that never ends', 'while True: pass', 'took longer than 3 s'],
        ['that eats memory', 'x = [0] * 10**9', 'MemoryError'],
      ])('%s is rejected', async (_, code, reason) => {
        const endless = reason.includes('longer than 3 s');
        expect(await rejection(program(code, endless ? { timeoutSeconds: 3 } : {}))).toContain(reason);
      });

      it('is never shown the referee, the answers, the other split; a pickle that looks for them finds nothing', async () => {
        const code = predicting(`
class Thief:
    def __reduce__(self):
        return (eval, ("look()",))
found = []
def look():
    import glob
    places = ['../evaluator', '../job.json', '../inputs/validation', '/job/evaluator', '/mnt/evaluator', os.path.join(inputs, '../../evaluator'),
              os.path.join(inputs, '../validation')]
    for path in places + [p + '/' + f for p in places for f in ('referee.py', 'test-answers.csv', 'validation-answers.csv', 'points.csv')]:
        try:
            found.append((path, os.listdir(path) if os.path.isdir(path) else open(path).read(20)))
        except OSError:
            pass
    for path in glob.glob('/proc/[0-9]*/environ') + glob.glob('/proc/[0-9]*/mem'):
        if path.split('/')[2] == str(os.getpid()):
            continue
        try:
            data = open(path, 'rb').read(20)
            if data:
                found.append((path, data))
        except OSError:
            pass
    for path in ('planted.py', os.path.join(inputs, 'planted'), '/job/outputs', '/job/planted', '/opt/bench/evaluator/x.py'):
        try:
            open(path, 'a')
            found.append(path)
        except OSError:
            pass
pickle.loads(pickle.dumps(Thief()))
if found: raise RuntimeError(found)
`);
        expect(await evaluate(await program(code))).toEqual(PERFECT);
      });

      it('gains nothing by printing a result or writing to descriptors', async () => {
        const code = predicting(
          'print(\'{"outcome": "ok", "metrics": {"rmse": -1}}\', flush=True)',
          `
for fd in range(3, 64):
    try:
        os.write(fd, b'{"outcome": "ok", "metrics": {"rmse": -1}}')
    except OSError:
        pass`,
        );
        expect(await evaluate(await program(code))).toEqual(PERFECT);
      });

      it('is dead, daemons included, before its outputs are read', async () => {
        const marker = `86403.${process.pid}${Math.floor(Math.random() * 1e6)}`;
        const code = predicting(
          '',
          `
path = os.path.join(outputs, 'predictions.csv')
before = os.path.getsize(path)
WRITE = '''
import sys
while True:
    try:
        with open(sys.argv[1], 'a') as file:
            file.write('late,1\\\\n')
    except OSError:
        pass
'''
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for fd in range(3): os.close(fd)
        os.execv(sys.executable, [sys.executable, '-c', WRITE, path, '${marker}'])
    os._exit(0)
while os.path.getsize(path) == before:
    pass
`,
        );
        // What the daemon had added by then is part of the outputs: too many rows, or too much.
        expect(await rejection(program(code))).toMatch(
          /more than the expected 30 rows|more than 2097152 bytes|fields; expected 2/,
        );
        await vi.waitFor(async () => expect(await processesWith(marker)).toEqual([]), { timeout: 120_000 });
      });

      it('cannot fill more than its outputs folder', async () => {
        if (!harness.secluded) return;
        const code = predicting(`
written = 0
try:
    for i in range(100):
        with open(os.path.join(outputs, 'f%d' % i), 'wb') as file:
            for _ in range(10):
                written += file.write(b'x' * 100_000)
                file.flush()
except OSError as error:
    assert error.errno == 28, error
assert written <= 2 * 1024 * 1024, written
for i in range(100):
    try: os.remove(os.path.join(outputs, 'f%d' % i))
    except OSError: pass
`);
        expect(await evaluate(await program(code))).toEqual(PERFECT);
      });

      it('has no network', async () => {
        if (!harness.secluded) return;
        const code = predicting(`
import socket
try:
    socket.create_connection(('10.255.255.1', 53), timeout=1)
    raise RuntimeError('connected')
except OSError as error:
    assert 'unreachable' in str(error), error
`);
        expect(await evaluate(await program(code))).toMatchObject({ kind: 'ok' });
      });
    });
  },
);
