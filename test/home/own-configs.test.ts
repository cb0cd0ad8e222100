import { appendFileSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AgentsDocument, ListedTask, TasksDocument } from '../../domain/views/catalog.js';
import { BenchError } from '../../domain/errors.js';
import { openBench } from '../../operations/index.js';
import { BenchHome, BUNDLED_CONFIGS } from '../setup/bench-home.js';
import { LONG } from '../setup/long.js';

/** A home with its user's own models, agents, suites and tasks, and a broken one of each. */
const home = new BenchHome({ BENCH_CONFIGS: '' });
const own = join(home.dir, 'configs');
const write = (path: string, text: string): string => {
  const file = join(own, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
};
const bundled = (path: string): string => readFileSync(join(BUNDLED_CONFIGS, path), 'utf8');

/** Writes what is right but for its last line. Returns how the mistake must be told. */
function withMistake(path: string, text: string, line: string): string {
  const whole = `${text.trimEnd()}\n${line}\n`;
  return `${write(path, whole)}:${whole.split('\n').length - 1}: ${line.split(':')[0]}: unknown key`;
}

const broken: Record<'task' | 'agent' | 'suite' | 'model', string> = { task: '', agent: '', suite: '', model: '' };

beforeAll(async () => {
  const made = await home.json<{ dir: string }>('tasks', 'new', 'guess', '--kind', 'questions');
  expect(made.dir).toBe(join(own, 'tasks', 'guess'));
  write(
    'agents/mine.yaml',
    bundled('agents/plain.yaml').replace(/^description:.*$/m, 'description: as it was submitted'),
  );
  write('agents/default.yaml', bundled('agents/bash-only.yaml'));
  write('suites/ours.yaml', 'schema: 1\ndescription: ours and theirs\ntasks: [guess, battleOfSexes]\n');
  write('models/lab.yaml', bundled('models/gpt-4o.yaml').replace('provider:', 'aliases: [labs]\nprovider:'));
  cpSync(join(own, 'tasks', 'guess'), join(own, 'tasks', 'blotto'), { recursive: true });
  const task = readFileSync(join(own, 'tasks', 'guess', 'task.yaml'), 'utf8').replace('id: guess', 'id: blotto');
  broken.task = withMistake('tasks/blotto/task.yaml', task, 'nme: Blotto');
  broken.agent = withMistake('agents/plain.yaml', bundled('agents/plain.yaml'), 'descripton: x');
  broken.suite = withMistake('suites/rl.yaml', bundled('suites/rl.yaml'), 'taskz: []');
  broken.model = withMistake('models/o3.yaml', bundled('models/o3.yaml'), 'providr: x');
});
afterAll(() => home.remove());

describe("a user's own folder", () => {
  it('adds to the lists and replaces in them, and they say so', async () => {
    const { agents } = await home.json<AgentsDocument>('agents', 'list');
    const agent = (name: string) => agents.find((one) => one.name === name);
    expect(agent('mine')).toMatchObject({ origin: 'home', file: join(own, 'agents/mine.yaml'), replaces: null });
    expect(agent('default')).toMatchObject({
      origin: 'home',
      replaces: join(BUNDLED_CONFIGS, 'agents/default.yaml'),
    });
    expect(agent('bash-only')).toMatchObject({ origin: 'bundled', hash: agent('default')?.hash });
    const { tasks } = await home.json<TasksDocument>('tasks', 'list');
    const task = (id: string): ListedTask | undefined => tasks.find((one) => one.id === id);
    expect(task('guess')).toMatchObject({ origin: 'home', error: null });
    expect(task('battleOfSexes')).toMatchObject({ origin: 'bundled' });
    const shown = await home.run('models', 'list');
    expect(shown.stdout).toMatch(/lab, labs +home/);
    expect((await home.run('agents')).stdout).toMatch(/default +fenced +home, replaces another/);
  });

  it('has broken files that each list names in a line, with file, line and key, and that disable nothing else', async () => {
    for (const [list, kinds] of [
      ['tasks', ['task', 'suite']],
      ['agents', ['agent']],
      ['models', ['model']],
    ] as const) {
      const { exitCode, stderr } = await home.run(list, 'list');
      expect(exitCode).toBe(0);
      expect(stderr.split('\n')).toEqual(
        kinds.map((kind) => expect.stringContaining(`Disabled ${kind}: ${broken[kind]}`) as string),
      );
    }
    const checked = await home.run('validate-config');
    expect(checked.exitCode).toBe(2);
    const { checks } = JSON.parse((await home.run('doctor', '--json')).stdout) as {
      checks: { name: string; status: string; detail: string }[];
    };
    const told = checks.find(({ name }) => name === 'configs');
    expect(told?.status).toBe('warn');
    for (const kind of ['task', 'agent', 'suite', 'model'] as const)
      for (const text of [checked.stdout, told?.detail]) expect(text).toContain(broken[kind]);
  });

  it.each([
    ['task', ['tasks', 'show', 'blotto']],
    ['task', ['submit', '--models', 'scripted:baseline', '--tasks', 'blotto']],
    ['agent', ['submit', '--models', 'scripted:baseline', '--tasks', 'guess', '--agent', 'plain']],
    ['suite', ['submit', '--models', 'scripted:baseline', '--tasks', 'rl']],
    ['model', ['submit', '--models', 'o3', '--tasks', 'guess', '--dry-run']],
  ] as const)('has a broken %s that is an error where it is asked for: %j', async (kind, args) => {
    const { exitCode, stderr } = await home.run(...args);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(broken[kind]);
    expect(stderr).toContain('bench validate-config');
  });

  it('is used by the library too, which tells what is broken', async () => {
    const told: string[] = [];
    const bench = openBench({
      ...{ home: home.dir, cwd: home.dir, env: { PATH: process.env['PATH'], HOME: home.dir } },
      notify: (notice) => void (notice.code === 'config.broken' && told.push(notice.file.file)),
    });
    try {
      const request = { models: ['scripted:baseline'], agent: 'mine', attempts: 1, backend: 'local' as const };
      const planned = await bench.batches.plan({ ...request, tasks: ['ours'] });
      expect(planned.runs.map(({ task, agentName }) => [task.id, agentName])).toEqual([
        ['guess', 'mine'],
        ['battleOfSexes', 'mine'],
      ]);
      expect(told).toEqual([]);
      const all = await bench.batches.plan({ ...request, tasks: ['all'], skipUnavailable: true });
      expect(all.skipped.find(({ task }) => task === 'blotto')?.reason).toContain(broken.task);
      expect(told).toEqual([expect.stringMatching(/blotto.task\.yaml$/)]);
      await expect(bench.batches.plan({ ...request, tasks: ['blotto'] })).rejects.toThrow(BenchError);
    } finally {
      await bench.close();
    }
  });

  // tasks-verify.test.ts goes through the same commands with a folder of its own.
  it.runIf(LONG)('has its tasks prepared, checked, built for and verified as any other', async () => {
    expect(await home.json('tasks', 'prepare', 'guess')).toMatchObject({ tasks: [{ task: 'guess', data: 'none' }] });
    const check = await home.run('tasks', 'check', 'guess', '--backend', 'local', '--json');
    expect(JSON.parse(check.stdout)).toMatchObject({ ready: true });
    const built = await home.json<{ images: { kind: string }[] }>('images', 'build', '--tasks', 'guess');
    expect(built.images.map(({ kind }) => kind).sort()).toEqual(['agent', 'evaluator']);
    const verified = await home.run('tasks', 'verify', 'guess', '--backend', 'local', '--json');
    const { tasks } = JSON.parse(verified.stdout) as { tasks: { task: string; checks: { name: string }[] }[] };
    expect(tasks).toEqual([expect.objectContaining({ task: 'guess', ok: true })]);
  });

  // Without it, sql/task-archives.test.ts keeps what runs began with.
  it.runIf(LONG)('plays its tasks with its agents, and what is edited meanwhile changes nothing of runs', async () => {
    const submitted = await home.json<{ batchId: string; runs: { runId: string }[] }>(
      ...['submit', '--models', 'scripted:baseline', '--tasks', 'guess', '--agent', 'mine'],
      ...['--attempts', '2', '--concurrency', '1', '--backend', 'local'],
    );
    const completions = async (...words: string[]) =>
      (await home.run('__complete', ...words)).stdout.split('\n').map((line) => line.split('\t')[0]);
    expect(await completions('submit', '--models', 'scripted:oracle,la')).toContain('scripted:oracle,lab');
    expect(await completions('status', 'b-')).toContain(submitted.batchId);
    expect(await completions('show', 'r-')).toContain(submitted.runs[0]!.runId);
    // The second run has hardly begun, and the worker reads both folders.
    write('agents/mine.yaml', 'schema: 1\n');
    write('tasks/guess/evaluator/referee.py', 'raise SystemExit("edited")\n');
    appendFileSync(join(own, 'tasks/guess/task.yaml'), 'nonsense: 1\n');
    const watched = await home.run('watch', submitted.batchId);
    expect(watched.exitCode).toBe(0);
    const rows = await home.sql<{ ended: string; score: number | null; description: string }>(
      `select r.end_reason as ended, s.last_attempt as score, a.content->>'description' as description
         from runs r join run_results s using (run_id) join agent_configs a on a.hash = r.agent_hash
        where r.batch_id = $1`,
      [submitted.batchId],
    );
    expect(rows).toHaveLength(2);
    for (const row of rows) expect(row).toMatchObject({ ended: 'submit', description: 'as it was submitted' });
    for (const { score } of rows) expect(score).not.toBeNull();
    expect((await home.run('submit', '--models', 'scripted:baseline', '--tasks', 'guess')).exitCode).toBe(2);
  });
});
