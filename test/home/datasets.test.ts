import { createHash } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { download, missingBytes, sourcePath } from '../../operations/tasks/prepare/download.js';
import { prepareTask } from '../../operations/tasks/prepare/prepare-task.js';
import { BenchError } from '../../domain/errors.js';
import { homeLayout, type HomeLayout } from '../../domain/home/layout.js';
import type { DataSource } from '../../domain/task/data.js';
import { attachData, findPrepared, freezeTask, loadTask } from '../../catalog/index.js';
import { BenchHome, BUNDLED_CONFIGS } from '../setup/bench-home.js';

const REPOSITORY = join(import.meta.dirname, '..', '..');
const ROWS = Array.from({ length: 200 }, (_, i) => `${i},${(i * 7) % 31},${(i * 7) % 31 > 15 ? 1 : 0}`);
const BODY = Buffer.from(`id,x,label\n${ROWS.join('\n')}\n`);

/** What the server of the sources does with the next requests; afterwards it serves the file. */
type Answer = (request: IncomingMessage, response: ServerResponse) => void;
let answers: Answer[] = [];
let requests: (string | undefined)[] = [];
let paths: (string | undefined)[] = [];
/** Cuts the connection once `layout` has some bytes: a reset loses what is on its way. */
const cutAfter =
  (bytes: number, layout: HomeLayout): Answer =>
  (_, response) => {
    response.writeHead(200, { 'content-length': BODY.length });
    response.write(BODY.subarray(0, bytes));
    void expect
      .poll(() => missingBytes(layout, source), { timeout: 300_000 })
      .toBeLessThan(BODY.length)
      .finally(() => response.destroy());
  };
const server = createServer((request, response) => {
  requests.push(request.headers.range);
  paths.push(request.url);
  const answer = answers.shift();
  if (answer !== undefined) return answer(request, response);
  const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
  response.writeHead(from === 0 ? 200 : 206, { 'content-length': BODY.length - from });
  response.end(BODY.subarray(from));
});

let root: string;
let source: DataSource;
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'bench-test-datasets-'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  source = {
    name: 'points.csv',
    urls: [`http://127.0.0.1:${(server.address() as AddressInfo).port}/points.csv`],
    bytes: BODY.length,
    sha256: createHash('sha256').update(BODY).digest('hex'),
    licence: 'public domain',
    about: 'points on a line',
  };
});
afterAll(async () => {
  await new Promise((resolve) => server.close(resolve));
  rmSync(root, { recursive: true, force: true });
});
beforeEach(() => {
  answers = [];
  requests = [];
  paths = [];
});

let homes = 0;
const newLayout = () => homeLayout(join(root, `home-${++homes}`));

const PREPARE = `
import csv

def prepare(data):
    if data.sample:
        rng = data.rng("rows")
        rows = [{"id": i, "x": rng.randrange(31)} for i in range(50)]
        for row in rows:
            row["label"] = int(row["x"] > 15)
    else:
        with open(data.source("points.csv")) as file:
            rows = list(csv.DictReader(file))
    train, test = data.split(rows, (0.5, 0.5))
    data.agent_csv("data/train.csv", ["id", "x", "label"], train)
    data.agent_csv("data/test.csv", ["id", "x"], test)
    data.hidden_csv("labels.csv", ["id", "label"], test)
`;
const REFEREE = `
from bench_tasks.files import Integer, Text

COLUMNS = {"id": Text(), "label": Integer(0, 1)}

def evaluate(files):
    truth = files.secret_csv("labels.csv", COLUMNS)
    rows = files.csv("submission.csv", COLUMNS, ids=("id", truth["id"]))
    return {"accuracy": sum(a == b for a, b in zip(rows["label"], truth["label"])) / len(truth["id"])}
`;

/** A configuration with the task \`points\`, whose data are made of the server's file. */
function configs(files: Record<string, string> = {}): string {
  const dir = mkdtempSync(join(root, 'configs-'));
  const spec = {
    ...{ schema: 1, id: 'points', name: 'Points', contract: 1, domain: 'tabular', description: 'Label data/test.csv.' },
    metrics: { accuracy: { direction: 'maximize', description: 'share of right labels', bounds: { min: 0, max: 1 } } },
    primary: 'accuracy',
    baseline: { value: 0.5, standardError: 0.1, sample: { value: 0.4, standardError: 0.1 } },
    submission: { files: ['submission.csv'] },
    evaluator: { kind: 'data' },
    data: { sources: [source], agent: ['data'], hidden: ['labels.csv'] },
  };
  const all: Record<string, string> = {
    'task.yaml': JSON.stringify(spec),
    'prepare.py': PREPARE,
    'starter/README.txt': 'Points.\n',
    'evaluator/referee.py': REFEREE,
    ...files,
  };
  for (const [path, text] of Object.entries(all)) {
    const file = join(dir, 'tasks', 'points', path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  return dir;
}
const points = (files: Record<string, string> = {}) => loadTask([configs(files)], 'points');
const options = (layout: HomeLayout, sample = false) => ({ layout, assetsRoot: REPOSITORY, sample });

describe('fetching a source', () => {
  it('goes on where the connection was cut off', async () => {
    const layout = newLayout();
    answers = [cutAfter(1000, layout)];
    const place = await download(layout, source, {});
    expect(readFileSync(place)).toEqual(BODY);
    expect(requests[0]).toBeUndefined();
    expect(requests[1]).toMatch(/^bytes=[1-9]\d*-$/);
    expect(readdirSync(dirname(place))).toEqual(['points.csv']);
  });

  it('goes on with what an earlier process left', async () => {
    const layout = newLayout();
    const place = sourcePath(layout, source);
    mkdirSync(dirname(place), { recursive: true });
    writeFileSync(`${place}.part`, BODY.subarray(0, 700));
    expect(await missingBytes(layout, source)).toBe(BODY.length - 700);
    await download(layout, source, {});
    expect(requests).toEqual(['bytes=700-']);
    expect(await missingBytes(layout, source)).toBe(0);
  });

  it('begins again where the server knows no ranges, and takes the next address where one refuses', async () => {
    const layout = newLayout();
    answers = [
      (_, response) => response.writeHead(404).end(),
      cutAfter(500, layout),
      (_, response) => void response.writeHead(200).end(BODY),
    ];
    const place = await download(layout, { ...source, urls: [...source.urls, ...source.urls] }, {});
    expect(readFileSync(place)).toEqual(BODY);
  });

  it('refuses another file than the declared one, and keeps nothing of it', async () => {
    const layout = newLayout();
    const wrong = { ...source, sha256: 'ab'.repeat(32) };
    await expect(download(layout, wrong, {})).rejects.toThrow(/points\.csv is not the file that task\.yaml declares/);
    expect(readdirSync(dirname(sourcePath(layout, wrong)))).toEqual([]);
  });

  it('takes a file that was fetched elsewhere', async () => {
    const folder = mkdtempSync(join(root, 'given-'));
    writeFileSync(join(folder, 'points.csv'), BODY);
    expect(readFileSync(await download(newLayout(), source, { from: folder }))).toEqual(BODY);
    expect(requests).toEqual([]);
  });

  it("asks the mirror of Debian's archive that this host uses, and goes on with the next address where there is none", async () => {
    const debian = { ...source, urls: ['debian:pool/main/p/points.csv', ...source.urls] };
    const mirror = source.urls[0]!.replace('/points.csv', '/debian/');
    expect(readFileSync(await download(newLayout(), debian, { debianMirror: mirror }))).toEqual(BODY);
    expect(paths).toEqual(['/debian/pool/main/p/points.csv']);
    await download(newLayout(), debian, { debianMirror: null });
    expect(paths.slice(1)).toEqual(['/points.csv']);
    const alone = { ...source, urls: ['debian:pool/main/p/points.csv'] };
    await expect(download(newLayout(), alone, {})).rejects.toThrow(/BENCH_DEBIAN_MIRROR is not set/);
  });

  it('takes the next address where another file lies at the first', async () => {
    const other = Buffer.alloc(BODY.length, 'x');
    answers = [(_, response) => void response.writeHead(200).end(other)];
    const place = await download(newLayout(), { ...source, urls: [...source.urls, ...source.urls] }, {});
    expect(readFileSync(place)).toEqual(BODY);
    expect(requests).toEqual([undefined, undefined]);
  });

  it('is done once by several at the same time', async () => {
    const layout = newLayout();
    await Promise.all([1, 2, 3].map(() => download(layout, source, {})));
    expect(requests).toHaveLength(1);
  });

  it('says what can be done where it cannot be reached', async () => {
    answers = [(_, response) => response.writeHead(403).end()];
    const refused = await download(newLayout(), source, {}).catch((error: unknown) => error as BenchError);
    expect(refused).toBeInstanceOf(BenchError);
    if (!(refused instanceof BenchError)) return;
    expect(refused.message).toContain('HTTP 403');
    expect(refused.fields).toHaveProperty('from');
  });
});

describe('preparing data', () => {
  it('makes the same of the same, labels apart, and finds them afterwards', async () => {
    const task = points();
    const [first, second] = [newLayout(), newLayout()];
    expect(findPrepared(first, task, false)).toBeNull();
    const made = await prepareTask(task, options(first));
    expect(made.files.map(({ path }) => path)).toEqual([
      'agent/data/test.csv',
      'agent/data/train.csv',
      'hidden/labels.csv',
    ]);
    expect((await prepareTask(task, options(second))).hash).toBe(made.hash);
    expect(findPrepared(first, task, false)).toEqual(made);
    const header = (path: string) => readFileSync(join(made.dir, path), 'utf8').split('\n')[0];
    expect([header('agent/data/test.csv'), header('hidden/labels.csv')]).toEqual(['id,x', 'id,label']);
    // A second one has nothing to do.
    requests = [];
    await prepareTask(task, options(first));
    expect(requests).toEqual([]);
  });

  it('keeps a sample apart from the real data, and makes it without the sources', async () => {
    const task = points();
    const layout = newLayout();
    const sample = await prepareTask(task, options(layout, true));
    expect(requests).toEqual([]);
    expect(findPrepared(layout, task, false)).toBeNull();
    expect(findPrepared(layout, task, true)).toEqual(sample);
    expect(sample.sample).toBe(true);
  });

  it('keeps nothing when prepare.py fails, is at odds with task.yaml, or shows the labels', async () => {
    const layout = newLayout();
    const attempts: [string, RegExp][] = [
      [`${PREPARE}    raise ValueError("no such column")\n`, /prepare\.py failed: .*no such column/],
      [
        PREPARE.replace('labels.csv', 'truth.csv'),
        /truth\.csv is not declared under data\.hidden; labels\.csv .* not made/,
      ],
      [
        PREPARE.replace('"data/test.csv", ["id", "x"]', '"data/test.csv", ["id", "x", "label"]'),
        /the column label of labels\.csv/,
      ],
      [
        `${PREPARE}    data.agent_csv("data/sample.csv", ["id", "label"], test)\n`,
        /data\/sample\.csv, which agents see/,
      ],
      [`${PREPARE}    data.agent_csv("../escape.csv", ["id"], test)\n`, /leads out of the folder/],
    ];
    for (const [text, problem] of attempts)
      await expect(prepareTask(points({ 'prepare.py': text }), options(layout))).rejects.toThrow(problem);
    expect(readdirSync(join(layout.prepared, 'points'))).toEqual([]);
  });

  it('belongs to prepare.py and the declared sources, not to the rest of the task', async () => {
    const layout = newLayout();
    await prepareTask(points(), options(layout));
    expect(findPrepared(layout, points({ 'starter/README.txt': 'other words' }), false)).not.toBeNull();
    expect(findPrepared(layout, points({ 'prepare.py': `${PREPARE}\n# changed\n` }), false)).toBeNull();
  });

  it('is not used once a file has changed', async () => {
    const layout = newLayout();
    const task = points();
    const { dir } = await prepareTask(task, options(layout));
    appendFileSync(join(dir, 'hidden', 'labels.csv'), '999,1\n');
    expect(() => findPrepared(layout, task, false)).toThrow(/have changed: .*labels\.csv/);
    await prepareTask(task, { ...options(layout), force: true });
    expect(findPrepared(layout, task, false)).not.toBeNull();
  });

  it('goes into the frozen task, under a hash of both', async () => {
    const layout = newLayout();
    const task = points();
    for (const sample of [false, true]) await prepareTask(task, options(layout, sample));
    const [real, sample] = [false, true].map((kind) => attachData(layout, [task], kind).ready[0]!);
    expect(new Set([task.contentHash, real!.contentHash, sample!.contentHash]).size).toBe(3);
    expect([real!.spec.baseline?.value, sample!.spec.baseline?.value]).toEqual([0.5, 0.4]);
    const frozen = freezeTask(layout, real!);
    expect(existsSync(join(frozen, 'starter', 'data', 'train.csv'))).toBe(true);
    expect(existsSync(join(frozen, 'evaluator', 'labels.csv'))).toBe(true);
    expect(existsSync(join(frozen, 'starter', 'labels.csv'))).toBe(false);
    expect(freezeTask(layout, real!)).toBe(frozen);
    // Damage to the frozen copy is found, and mended.
    rmSync(join(frozen, 'starter', 'data', 'train.csv'));
    expect(existsSync(join(freezeTask(layout, real!), 'starter', 'data', 'train.csv'))).toBe(true);
  });
});

describe('from the command line', () => {
  const home = new BenchHome();
  afterAll(() => home.remove());
  const SUBMIT = ['submit', '--models', 'scripted:baseline', '--backend', 'local', '--attempts', '1'];

  it('a task without its data is refused with the command that makes them, or left out', async () => {
    home.env['BENCH_CONFIGS'] = configs();
    mkdirSync(join(home.env['BENCH_CONFIGS'], 'agents'));
    writeFileSync(
      join(home.env['BENCH_CONFIGS'], 'agents', 'default.yaml'),
      readFileSync(join(REPOSITORY, 'configs', 'agents', 'bash-only.yaml')),
    );
    const refused = await home.run(...SUBMIT, '--tasks', 'points', '--dry-run');
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toContain('points: its data are not prepared');
    expect(refused.stderr).toContain('bench tasks prepare points');
  });

  it('all tasks without their data are refused in three lines: how many, what stands in for them, what is left', async () => {
    const fresh = new BenchHome({ BENCH_CONFIGS: BUNDLED_CONFIGS });
    try {
      const { exitCode, stderr } = await fresh.run(
        'submit',
        '--models',
        'scripted:baseline',
        '--tasks',
        'all',
        '--dry-run',
      );
      expect(exitCode).toBe(2);
      const lines = stderr.trim().split('\n');
      expect(lines).toHaveLength(3);
      expect(lines[0]).toMatch(/^error: \d+ of \d+ tasks have no data here: \S+, \S+, \S+ and \d+ more$/);
      expect(lines[1]).toMatch(
        /prepare and submit these tasks on sample data.*`bench tasks prepare all` downloads 2\d GB; \d+ of these tasks ask for GPUs/,
      );
      expect(lines[2]).toMatch(/^Or skip these and play the remaining \d+ \(--sample, --skip-unavailable\)\.$/);
    } finally {
      await fresh.remove();
    }
  });

  it('data are made, told, and runs of samples are marked', async () => {
    const made = await home.json<{ tasks: unknown[] }>('tasks', 'prepare', 'points', '--sample');
    expect(made.tasks).toMatchObject([{ task: 'points', data: 'sample', error: null }]);
    const planned = await home.json<{ runs: unknown[] }>(...SUBMIT, '--tasks', 'points', '--sample', '--dry-run');
    expect(planned.runs).toMatchObject([{ task: 'points', sample: true }]);
  });
});
