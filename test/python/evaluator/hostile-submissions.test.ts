import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { REPOSITORY } from '../tasks/task-python.js';

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'bench-test-hostile-'));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

let places = 0;

/** What the judging process says of these, under the memory limit of an evaluation. */
async function judge(referee: string, files: Record<string, string | Buffer>, secret: Record<string, string> = {}) {
  const place = join(root, String((places += 1)));
  mkdirSync(join(place, 'evaluator'), { recursive: true });
  mkdirSync(join(place, 'answers'));
  for (const [name, text] of Object.entries({ 'referee.py': referee, ...secret }))
    writeFileSync(join(place, 'evaluator', name), text);
  for (const [name, content] of Object.entries(files)) writeFileSync(join(place, 'answers', name), content);
  const order = { kind: 'data', split: 'test', seed: '00'.repeat(32), answers: join(place, 'answers'), inputs: place };
  const program = join(REPOSITORY, 'images', 'evaluator', 'referee_main.py');
  const start = `import os, resource, sys; resource.setrlimit(resource.RLIMIT_AS, (512 << 20, 512 << 20)); os.execv(sys.executable, [sys.executable, "-B", sys.argv[1]])`;
  const { stdio } = await execa('python3', ['-c', start, program], {
    cwd: join(place, 'evaluator'),
    input: JSON.stringify(order),
    stdio: ['pipe', 'pipe', 'pipe', 'ignore', 'ignore', 'pipe'],
  });
  return JSON.parse(String(stdio[5])) as { outcome: string; message?: string };
}

/** What a whole evaluation of the kind `data` says of this text. */
async function evaluate(referee: string, submission: string, timeoutSeconds: number) {
  const place = join(root, String((places += 1)));
  for (const folder of ['evaluator', 'submission', 'inputs', 'output'])
    mkdirSync(join(place, folder), { recursive: true });
  writeFileSync(join(place, 'evaluator', 'referee.py'), referee);
  writeFileSync(join(place, 'submission', 'a'), submission);
  const job = {
    ...{ evaluator: { kind: 'data', timeoutSeconds, memoryMb: 512, refereeMemoryMb: 512 }, metrics: ['score'] },
    ...{ split: 'test', seed: '00'.repeat(32), users: null, lifeline: false, ownContainer: false },
    outputFolder: join(place, 'output'),
  };
  writeFileSync(join(place, 'job.json'), JSON.stringify(job));
  const init = join(REPOSITORY, 'images', 'evaluator', 'init.py');
  const { stdout } = await execa('python3', ['-I', '-B', init, place], { stdin: 'ignore' });
  return JSON.parse(stdout) as { outcome: string; message?: string };
}

const READS = (call: string): string => `
def evaluate(files):
    found = ${call}
    return {"score": sum(value ** 2 for value in found.values)}
`;
/** Arrays as files, made in Python. */
async function bytes(code: string): Promise<Buffer> {
  const program = `
import base64, io, lzma, struct, zipfile
def npy(values):
    body = values if isinstance(values, bytes) else struct.pack("<%dd" % len(values), *values)
    header = ("{'descr': '<f8', 'fortran_order': False, 'shape': (%d,), }" % (len(body) // 8)).encode().ljust(117) + b"\\n"
    return b"\\x93NUMPY\\x01\\x00" + len(header).to_bytes(2, "little") + header + body
def npz(data, method=zipfile.ZIP_DEFLATED):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        archive.writestr("x.npy", data)
    return file.getvalue()
print(base64.b64encode(${code}).decode())`;
  const { stdout } = await execa('python3', ['-c', program]);
  return Buffer.from(stdout, 'base64');
}

describe('a file that a referee cannot score', () => {
  it.each([
    ['a price whose square no float holds', '1e200', 'line 2, column Sale_Price: 1e+200 is out of range'],
    ['one that is infinite', '1e999', 'is not a finite number'],
    ['one of forty digits', '9'.repeat(40) + 'e99', 'is out of range'],
  ])('%s is rejected', async (_, price, reason) => {
    const referee = readFileSync(
      join(REPOSITORY, 'configs', 'tasks', 'regressionKaggleHousePrice', 'evaluator', 'referee.py'),
      'utf8',
    );
    const answers = 'Id,Sale_Price,split\n1,100,test\n2,200,test\n';
    expect(
      await judge(referee, { 'submission.csv': `Id,Sale_Price\n1,${price}\n2,5\n` }, { 'answers.csv': answers }),
    ).toEqual({ outcome: 'rejected', message: expect.stringContaining(reason) as string });
  });

  it.each([
    ['numbers that are too large', 'npy', 'npy([1e200])', 'number 0 is 1e+200'],
    ['an archive with LZMA', 'npz', 'npz(npy([1.0]), zipfile.ZIP_LZMA)', 'compressed in another way'],
    ['a member longer than all memory', 'npz', 'npz(bytes(400 << 20))', 'unpacks to more than'],
    ['a member that fits, and no array of it does', 'npz', 'npz(npy(bytes(240 << 20)))', 'more memory to read'],
  ])('%s is rejected', async (_, kind, code, reason) => {
    const call = kind === 'npz' ? 'files.npz("a")["x"]' : 'files.npy("a")';
    const verdict = await judge(READS(call), { a: await bytes(code) });
    expect(verdict).toEqual({ outcome: 'rejected', message: expect.stringContaining(reason) as string });
    expect(verdict.message?.length).toBeLessThan(300);
  });

  it.each([
    ['nested a thousand times', '['.repeat(900) + ']'.repeat(900), 'nested too deeply'],
    ['nested a million times', '['.repeat(1e6), 'nested too deeply'],
    ['an integer that no float holds', '9'.repeat(400), 'is too large'],
    ['an integer that Python refuses to read', '9'.repeat(5000), 'is too large'],
    ['half of a character', '"\\ud800"', 'not valid JSON'],
    ['a number that is squared', '1e200', 'its numbers are too large'],
    ['numbers whose difference is none', '1.7e308', 'its score is'],
  ])('JSON with %s is rejected', async (_, json, reason) => {
    const referee = `
def evaluate(files):
    found = files.json("a")
    if isinstance(found, float):
        return {"score": found ** 2 if found < 1e300 else found * 10 - found * 10}
    return {"score": repr(found).encode().count(b"[")}
`;
    const verdict = await judge(referee, { a: json });
    expect(verdict).toEqual({ outcome: 'rejected', message: expect.stringContaining(reason) as string });
  });

  it.each([
    ['memory', 'bytearray(2 << 30)', 'more memory'],
    ['depth', '(lambda f: f(f))(lambda f: f(f))', 'nested too deeply'],
  ])('what takes too much %s of a referee is rejected', async (_, code, reason) => {
    expect(await judge(`def evaluate(files):\n    return {"score": len(${code})}\n`, {})).toEqual({
      outcome: 'rejected',
      message: expect.stringContaining(reason) as string,
    });
  });

  it.each([
    ['time', 'all(sum(range(9)) for _ in range(10 ** 12))', 1, 'takes longer than 1 s'],
    ['memory, so that the kernel ends it,', '__import__("os").kill(__import__("os").getpid(), 9)', 600, 'more memory'],
  ])('and takes too much %s of a referee that scores others is rejected', async (_, code, seconds, reason) => {
    const referee = `
def evaluate(files):
    return {"score": 1 if files.json("a") == "plain" else ${code}}
`;
    expect(await evaluate(referee, '"plain"', 600)).toEqual({ outcome: 'ok', metrics: { score: 1 } });
    const verdict = await evaluate(referee, '"dear"', seconds);
    expect(verdict).toMatchObject({ outcome: 'rejected', message: expect.stringContaining(reason) as string });
  });
});
