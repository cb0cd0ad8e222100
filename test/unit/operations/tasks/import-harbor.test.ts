import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { loadTaskFolder } from '../../../../catalog/tasks.js';
import { renderTemplate } from '../../../../domain/agent/templates.js';
import { homeLayout } from '../../../../domain/home/layout.js';
import { harborImportSchema } from '../../../../domain/views/tasks.js';
import { importHarborTasks } from '../../../../operations/tasks/harbor/import.js';
import type { BenchSettings } from '../../../../operations/settings.js';

const root = mkdtempSync(join(tmpdir(), 'bench-import-harbor-'));
afterAll(() => rmSync(root, { recursive: true }));
const layout = homeLayout(join(root, 'home'));
mkdirSync(join(layout.configs, 'tasks'), { recursive: true });
const settings = {
  assetsRoot: join(root, 'assets'),
  layout,
  configFolders: [layout.configs],
} as unknown as BenchSettings;

let made = 0;
type Files = Readonly<Record<string, string | null>>;
function task(files: Files = {}): { folder: string; name: string } {
  const name = `hello.${++made}`;
  const folder = join(root, 'sets', String(made), name);
  const whole: Record<string, string | null> = {
    'task.toml': 'version = "1.0"\n[agent]\ntimeout_sec = 90.5\n[environment]\nmemory = "2G"\ncpus = 1\n',
    'instruction.md': '<!-- canary GUID 1 -->\nWrite {{ hello }} {% x %} to /app/hello.txt.\n',
    'environment/Dockerfile': 'FROM ubuntu:24.04 AS made\nFROM made\nWORKDIR /app\n',
    'solution/solve.sh': 'echo hello > /app/hello.txt\n',
    'tests/test.sh':
      'pytest --ctrf /logs/verifier/ctrf.json /tests/test_outputs.py\nif [ $? -eq 0 ]; then\n  echo 1 > /logs/verifier/reward.txt\nelse\n  echo 0 > /logs/verifier/reward.txt\nfi\n',
    'tests/test_outputs.py': 'def test(): assert open("/app/hello.txt").read() == "hello\\n"\n',
    ...files,
  };
  for (const [path, text] of Object.entries(whole)) {
    if (text === null) continue;
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return { folder, name };
}
const imported = (folder: string, more: Partial<Parameters<typeof importHarborTasks>[2]> = {}) =>
  harborImportSchema.parse(
    importHarborTasks({ settings }, folder, {
      ...{ prefix: 'h-', bases: [], build: false, live: false, force: false, dryRun: false },
      ...more,
    }),
  );

describe("an import of Harbor's tasks", () => {
  test('makes a valid task: the text as it is, the limits, the image on another base', () => {
    const { folder } = task();
    const { tasks, into } = imported(folder, { bases: [{ from: 'ubuntu:*', to: 'mine:1' }] });
    expect(tasks).toMatchObject([
      { id: `h-hello-${made}`, verification: 'clean-room', inProcess: false, refusals: [] },
    ]);
    const { spec, dir } = loadTaskFolder(join(into, 'tasks', `h-hello-${made}`));
    expect(spec).toMatchObject({
      evaluator: { kind: 'harbor', verification: 'clean-room', workdir: '/app', ctrf: true, memoryMb: 2048 },
      metrics: { reward: { direction: 'maximize', bounds: { min: 0, max: 1 } } },
      ...{ baseline: { value: 0, standardError: 0 }, target: { value: 1 } },
      limits: { commandSeconds: 91, wallSeconds: 91, cpus: 1 },
      ...{ network: 'open', submission: { whole: true } },
    });
    expect(renderTemplate('description', spec.description, {}).trim()).toBe(
      'Write {{ hello }} {% x %} to /app/hello.txt.',
    );
    expect(readFileSync(join(dir, 'environment/Dockerfile'), 'utf8')).toBe(
      'FROM mine:1 AS made\nFROM made\nWORKDIR /app\n\n# Added by the import.\nUSER root\nHEALTHCHECK NONE\n',
    );
    expect(readdirSync(join(dir, 'starter'))).toEqual([]);
    expect(existsSync(join(dir, 'oracle/.solution/solve.sh'))).toBe(true);
  });

  test('leaves out canaries in comments and headings before the instruction, and nothing of the instruction', () => {
    const { folder, name } = task({
      'instruction.md': '# canary GUID 1\n\n<!-- Canary 2 -->\n\nDeploy a canary on port 8080.\nThen stop.\n',
    });
    const { into } = imported(folder);
    const { spec } = loadTaskFolder(join(into, 'tasks', `h-${name.replace('.', '-')}`));
    expect(spec.description).toBe('Deploy a canary on port 8080.\nThen stop.');
  });

  test('refuses a second folder that gives the same id, even with force', () => {
    const { folder, name } = task();
    const set = dirname(folder);
    const twin = join(set, name.replace('.', '-'));
    cpSync(folder, twin, { recursive: true });
    const { imported: count, tasks } = imported(set, { force: true });
    expect(count).toBe(1);
    expect(tasks.map(({ refusals }) => refusals.map(({ reason }) => reason))).toEqual([
      [],
      [`has the id h-${name.replace('.', '-')}, like ${twin}: rename one of the folders`],
    ]);
  });

  test('takes the image that task.toml names, unless it is to be built', () => {
    const toml = 'version = "1.0"\n[environment]\ndocker_image = "some/image:1"\nallow_internet = false\n';
    const { folder, name } = task({ 'task.toml': toml });
    const { into } = imported(folder);
    const dockerfile = () =>
      readFileSync(join(into, 'tasks', `h-${name.replace('.', '-')}`, 'environment/Dockerfile'), 'utf8');
    expect(dockerfile()).toMatch(/^FROM some\/image:1\n/);
    expect(imported(folder).tasks[0]?.refusals).toMatchObject([
      { reason: expect.stringContaining('exists') as string },
    ]);
    imported(folder, { force: true, build: true });
    expect(dockerfile()).toMatch(/^FROM ubuntu:24\.04 AS made\n/);
  });

  test.each<[string, Files, string]>([
    ['another version', { 'task.toml': 'version = "9.9"\n' }, 'task.toml: version'],
    ['half a file', { 'task.toml': 'version = "1.0\n' }, 'task.toml: line 1'],
    ['sizes that are none', { 'task.toml': '[environment]\nmemory = "much"\n' }, 'task.toml: environment.memory'],
    [
      'a working folder of the system',
      { 'environment/Dockerfile': 'FROM x\nWORKDIR /usr\n' },
      'environment/Dockerfile: WORKDIR',
    ],
    ['living processes', { 'tests/test_outputs.py': 'get("http://localhost:80")\n' }, 'tests/test_outputs.py: '],
    ['an image of the verifier', { 'tests/Dockerfile': 'FROM x\n' }, 'task.toml: verifier.environment'],
    [
      'a mount of the host',
      { 'environment/docker-compose.yaml': 'services:\n  main:\n    volumes: ["~/.config:/x"]\n' },
      'environment/docker-compose.yaml: services.main.volumes[0]',
    ],
  ])('refuses %s at its place, and leaves nothing', (_, files, at) => {
    const { folder } = task(files);
    const { tasks, imported: count, into } = imported(folder);
    expect(count).toBe(0);
    expect(tasks[0]?.refusals.map(({ file, key }) => `${file}: ${key}`)).toEqual([at]);
    expect(
      readdirSync(join(into, 'tasks')).filter((name) => name.endsWith(`-${made}`) || name.startsWith('.')),
    ).toEqual([]);
  });

  test('takes tests of living processes only where that is asked for, and says so of the task', () => {
    const { folder, name } = task({ 'tests/test_outputs.py': 'get("http://localhost:80")\n' });
    expect(imported(folder).tasks[0]?.refusals[0]?.reason).toMatch(/`live` is required/);
    const { into, tasks } = imported(folder, { live: true });
    expect(tasks).toMatchObject([
      {
        verification: 'live',
        refusals: [],
        remarks: [{ reason: expect.stringMatching(/no score is ranked/) as string }],
      },
    ]);
    const { spec, dir } = loadTaskFolder(join(into, 'tasks', `h-${name.replace('.', '-')}`));
    expect(spec.evaluator).toMatchObject({ kind: 'harbor', verification: 'live' });
    expect(readFileSync(join(dir, 'README.md'), 'utf8')).toMatch(/own container[^]*never ranked/);
  });

  test.each([
    ['tests/expected.txt', 'tests/expected.txt'],
    ['environment', 'environment'],
    ['tests', 'tests'],
    ['solution', 'solution'],
    ['tests/deep/more', 'tests/deep/more'],
    ['environment/Dockerfile', 'environment/Dockerfile'],
    ['task.toml', 'task.toml'],
    ['instruction.md', 'instruction.md'],
  ])('refuses the link %s, and neither reads nor writes where it leads', (path, file) => {
    const { folder } = task({ 'tests/deep/x': '' });
    const elsewhere = join(root, 'elsewhere', String(made));
    mkdirSync(dirname(elsewhere), { recursive: true });
    const inside = join(folder, path);
    if (existsSync(inside)) renameSync(inside, elsewhere);
    else mkdirSync(elsewhere);
    symlinkSync(elsewhere, inside);
    const before = contents(elsewhere);
    const { into, tasks } = imported(folder, { force: true });
    expect(tasks).toMatchObject([{ id: null }]);
    expect(tasks[0]?.refusals).toContainEqual(expect.objectContaining({ file }));
    expect(contents(elsewhere)).toEqual(before);
    expect(readdirSync(join(into, 'tasks')).filter((name) => name.includes(`hello-${made}`))).toEqual([]);
  });

  test('refuses images of this engine', () => {
    const named = task({ 'task.toml': 'version = "1.0"\n[environment]\ndocker_image = "bench-task:0"\n' });
    expect(imported(named.folder).tasks[0]?.refusals).toMatchObject([{ key: 'environment.docker_image' }]);
    const copied = task({ 'environment/Dockerfile': 'FROM debian\nWORKDIR /app\nCOPY --from=redis / /\n' });
    expect(imported(copied.folder).tasks[0]?.refusals).toMatchObject([{ key: 'COPY --from' }]);
    const bases = [{ from: 'redis', to: 'redis:7' }];
    expect(imported(copied.folder, { bases }).tasks[0]?.refusals).toEqual([]);
  });
});

/** Paths and texts of what lies at a place. */
function contents(path: string): unknown {
  if (!statSync(path).isDirectory()) return readFileSync(path, 'utf8');
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .toSorted()
    .map((name) => [name, statSync(join(path, name)).isFile() ? readFileSync(join(path, name), 'utf8') : null]);
}
