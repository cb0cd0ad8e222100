import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Docker from 'dockerode';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createDockerEvaluator } from '../../backends/docker/evaluator.js';
import { ensureImage, type BuiltImage, type ImageKind } from '../../backends/docker/images.js';
import { LAYER_NAME } from '../../backends/docker/labels.js';
import { NO_SOURCES, type PackageSources } from '../../backends/docker/package-sources.js';
import { ensureTaskImage } from '../../backends/docker/task-image.js';
import { asFailure } from '../../activities/interceptors/failures.js';
import { type LayerRequirements, layerOf } from '../../domain/task/requirements.js';
import { FAILURE } from '../../domain/model/messages.js';
import { loadTaskFolder } from '../../catalog/tasks.js';
import { REPOSITORY } from './evaluation-job.js';
import { tinyWheel } from '../setup/tiny-wheel.js';
import { LONG } from '../setup/long.js';

const docker = new Docker();
const made = new Set<string>();
let taskDir: string;
let plain: Record<ImageKind, BuiltImage>;

/** A task that needs a package of its own, as a wheel in its folder: no index is asked. */
beforeAll(async () => {
  plain = {
    agent: await ensureImage(docker, 'agent', { assetsRoot: REPOSITORY }),
    evaluator: await ensureImage(docker, 'evaluator', { assetsRoot: REPOSITORY }),
  };
  taskDir = join(await mkdtemp(join(tmpdir(), 'bench-test-layers-')), 'battleOfSexes');
  await cp(join(REPOSITORY, 'configs', 'tasks', 'battleOfSexes'), taskDir, { recursive: true });
  await mkdir(join(taskDir, 'wheels'));
  // Told apart from those of other runs of this test.
  const wheel = await tinyWheel('coinrules', `OWNER = ${process.pid}\n`);
  await writeFile(join(taskDir, 'wheels', wheel.file), wheel.bytes);
  await writeFile(join(taskDir, 'requirements.txt'), './wheels/coinrules-1.0-py3-none-any.whl\n');
  const yaml = await readFile(join(taskDir, 'task.yaml'), 'utf8');
  await writeFile(
    join(taskDir, 'task.yaml'),
    `${yaml}requirements: { agent: requirements.txt, evaluator: requirements.txt }\n`,
  );
});
afterAll(async () => {
  for (const ref of made) await docker.getImage(ref).remove({ force: true });
  await rm(join(taskDir, '..'), { recursive: true, force: true });
});

async function ensure(
  kind: ImageKind,
  layer: LayerRequirements | null,
  lines: string[] = [],
  sources: PackageSources = NO_SOURCES,
): Promise<BuiltImage> {
  const image = await ensureTaskImage(docker, kind, plain[kind], layer, {
    sources,
    onProgress: (line) => lines.push(line),
  });
  if (layer !== null) made.add(image.ref);
  return image;
}

const ofTask = (kind: ImageKind) => layerOf(loadTaskFolder(taskDir).spec, kind, taskDir);

async function printed(image: string, code: string): Promise<string> {
  const { stdout } = await execa('docker', [
    'run',
    '--rm',
    '--network',
    'none',
    '--entrypoint',
    'python3',
    image,
    '-I',
    '-c',
    code,
  ]);
  return stdout;
}

it('a task without requirements uses the plain image', async () => {
  expect(layerOf({ id: 'x' }, 'agent', taskDir)).toBeNull();
  expect(await ensure('agent', null)).toEqual(plain.agent);
});

it('what a task requires is in its images; the second time nothing is made', async () => {
  for (const kind of ['agent', 'evaluator'] as const) {
    const lines: string[] = [];
    const image = await ensure(kind, ofTask(kind), lines);
    expect(image.ref).toMatch(/^bench-task:[0-9a-f]{16}$/);
    expect(image.digest).not.toBe(plain[kind].digest);
    expect(lines[0]).toBe(`making ${image.ref}, the ${kind} image of task battleOfSexes with its requirements.txt`);
    expect(await printed(image.ref, 'import coinrules; print(coinrules.OWNER)')).toBe(String(process.pid));
    const again: string[] = [];
    expect(await ensure(kind, ofTask(kind), again)).toEqual(image);
    expect(again).toEqual([]);
  }
});

// Without it, installations end by themselves in the others.
it.runIf(LONG)('an installation that its maker gives up ends at once, and its container goes', async () => {
  const wheel = await tinyWheel('coinrules', `OWNER = 'given up by ${process.pid}'\n`);
  await mkdir(join(taskDir, 'given-up'));
  await writeFile(join(taskDir, 'given-up', wheel.file), wheel.bytes);
  await writeFile(join(taskDir, 'given-up.txt'), './given-up/coinrules-1.0-py3-none-any.whl\n');
  const layer = { taskId: 'battleOfSexes', taskDir, file: 'given-up.txt', apt: [] };
  const ctrlC = new AbortController();
  const lines: string[] = [];
  const making = ensureTaskImage(docker, 'agent', plain.agent, layer, {
    sources: NO_SOURCES,
    signal: ctrlC.signal,
    onProgress: (line) => {
      lines.push(line);
      // The second line is the installer's: it runs.
      if (lines.length === 2) ctrlC.abort(new Error('given up'));
    },
  });
  await expect(making).rejects.toThrow('given up');
  const hash = /bench-task:(\w+)/.exec(lines[0] ?? '')?.[1] ?? 'none';
  const filters = { name: [`${LAYER_NAME}${hash}`] };
  expect(await docker.listContainers({ all: true, filters })).toEqual([]);
  await expect(docker.getImage(`bench-task:${hash}`).inspect()).rejects.toMatchObject({ statusCode: 404 });
});

it('a layer starts as the plain image does, and keeps nothing of how it was made', async () => {
  const sources: PackageSources = {
    environment: {
      PIP_INDEX_URL: 'http://user:canary-secret@127.0.0.1:9/simple',
      HTTP_PROXY: 'http://canary-secret@127.0.0.1:9',
    },
    certificates: null,
  };
  // Made anew, so that these settings had their chance.
  await writeFile(join(taskDir, 'other.txt'), '# other\n./wheels/coinrules-1.0-py3-none-any.whl\n');
  const layer = { taskId: 'battleOfSexes', taskDir, file: 'other.txt', apt: [] };
  const image = await ensure('evaluator', layer, [], {
    ...sources,
    environment: { ...sources.environment, HTTP_PROXY: '' },
  });
  const inspected = await docker.getImage(image.ref).inspect();
  const before = await docker.getImage(plain.evaluator.ref).inspect();
  expect(inspected.Config.Entrypoint).toEqual(before.Config.Entrypoint);
  expect(inspected.Config.Cmd ?? []).toEqual(before.Config.Cmd ?? []);
  expect(inspected.Config.WorkingDir).toBe(before.Config.WorkingDir);
  expect(inspected.Config.Env).toEqual(before.Config.Env);
  expect(inspected.Config.Labels['bench.image']).toBe('task-evaluator');
  expect(inspected.Config.Volumes ?? {}).toEqual({});
  const history = JSON.stringify([inspected, await docker.getImage(image.ref).history()]);
  expect(history).not.toContain('canary-secret');
  expect(await printed(image.ref, 'import os; print(os.path.exists("/bench-layer/install.sh"))')).toBe('False');
});

it('two tasks with the same requirements share an image; another base or line makes another', async () => {
  const layer = { taskId: 'one', taskDir, file: 'requirements.txt', apt: [] };
  const first = await ensure('evaluator', layer);
  expect(await ensure('evaluator', { ...layer, taskId: 'two' })).toEqual(first);
  expect((await ensure('agent', layer)).ref).not.toBe(first.ref);
});

it.runIf(LONG)('callers at the same time share one making', async () => {
  await writeFile(join(taskDir, 'several.txt'), '# several\n./wheels/coinrules-1.0-py3-none-any.whl\n');
  const layer = { taskId: 'several', taskDir, file: 'several.txt', apt: [] };
  const lines: string[] = [];
  const images = await Promise.all([ensure('evaluator', layer, lines), ensure('evaluator', layer, lines)]);
  expect(images[0]).toEqual(images[1]);
  expect(lines.filter((line) => line.startsWith('making '))).toHaveLength(1);
});

it.runIf(LONG)("an evaluator of the task's image finds the task's packages", async () => {
  const { ref } = await ensure('evaluator', ofTask('evaluator'));
  const referee = join(taskDir, 'evaluator', 'referee.py');
  await writeFile(
    referee,
    `import coinrules\nassert coinrules.OWNER == ${process.pid}\n${await readFile(referee, 'utf8')}`,
  );
  const { spec } = loadTaskFolder(taskDir);
  const job = {
    id: `layers-${process.pid}`,
    task: spec,
    taskDir,
    submission: [{ path: 'strategy.py', bytes: await readFile(join(taskDir, 'starter', 'strategy.py')) }],
    split: 'test' as const,
    seed: 'ab12',
  };
  const homeTag = `test${process.pid}`;
  const signal = new AbortController().signal;
  const evaluate = (imageRef: string) => createDockerEvaluator({ docker, imageRef, homeTag }).evaluate(job, signal);
  expect(await evaluate(ref)).toMatchObject({ kind: 'ok' });
  expect(await evaluate(plain.evaluator.ref)).toMatchObject({ kind: 'evaluator_error' });
});

it("what pip refuses ends a run as the task's fault, with pip's words, and leaves no container", async () => {
  await writeFile(join(taskDir, 'wheels', 'broken-1.0-py3-none-any.whl'), 'no archive');
  await writeFile(join(taskDir, 'broken.txt'), './wheels/broken-1.0-py3-none-any.whl\n');
  const layer = { taskId: 'battleOfSexes', taskDir, file: 'broken.txt', apt: [] };
  const lines: string[] = [];
  const error = await ensure('evaluator', layer, lines).catch((caught: unknown) => caught);
  expect(error).toMatchObject({
    name: 'BenchError',
    type: 'usage',
    message: expect.stringMatching(
      /task battleOfSexes: broken\.txt cannot be installed for the evaluator:[^]*(?:invalid|zip)/i,
    ) as string,
    fields: { tasks: 'battleOfSexes' },
  });
  expect(asFailure(error)).toMatchObject({ type: FAILURE.config, nonRetryable: true });
  // Of this layer: other files make theirs meanwhile.
  const hash = /^making bench-task:([0-9a-f]{16}),/.exec(lines[0] ?? '')?.[1];
  expect(hash).toBeDefined();
  const left = await docker.listContainers({ all: true, filters: { name: [`bench-layer-${hash}`] } });
  expect(left).toEqual([]);
});

// Without it, what pip refuses ends a run above.
it.runIf(LONG)('an index that cannot be reached is no fault of the task: another try may help', async () => {
  await writeFile(join(taskDir, 'away.txt'), 'no-such-package-of-ours==1.0\n');
  const layer = { taskId: 'battleOfSexes', taskDir, file: 'away.txt', apt: [] };
  const environment = { PIP_INDEX_URL: 'http://127.0.0.1:9/simple', PIP_RETRIES: '1' };
  await expect(ensure('evaluator', layer, [], { environment, certificates: null })).rejects.toMatchObject({
    name: 'InfrastructureError',
    message: expect.stringContaining('away.txt cannot be installed') as string,
  });
});
