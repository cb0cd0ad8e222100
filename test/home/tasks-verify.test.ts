import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newTask, type TaskKind } from '../../operations/tasks/new.js';
import type { RunDetail } from '../../domain/views/runs.js';
import { BenchHome, BUNDLED_CONFIGS } from '../setup/bench-home.js';
import type { Verification } from '../../domain/views/tasks.js';
import { LONG } from '../setup/long.js';

const ROOT = join(import.meta.dirname, '..', '..');
const GUIDE = join(ROOT, 'docs', 'guides', 'writing-a-task.md');
const configs = mkdtempSync(join(tmpdir(), 'bench-test-verify-'));
const home = new BenchHome({ BENCH_CONFIGS: configs });
beforeAll(() => {
  mkdirSync(join(configs, 'tasks'));
  for (const folder of ['agents', 'commands'])
    cpSync(join(BUNDLED_CONFIGS, folder), join(configs, folder), { recursive: true });
});
afterAll(async () => {
  await home.remove();
  rmSync(configs, { recursive: true, force: true });
});

const file = (task: string, path: string): string => join(configs, 'tasks', task, path);
const begin = (id: string, kind: TaskKind) => newTask({ assetsRoot: ROOT, configsDir: configs, id, kind });

const KINDS = LONG ? (['game', 'questions', 'program'] as const) : (['questions'] as const);
const STATED = /^baseline: .*value: ([\d.]+).*\n/m;

/** The guide's commands, in its order; other kinds of tasks share some of them. */
const steps = [...readFileSync(GUIDE, 'utf8').matchAll(/^```sh\n([^]*?)^```/gm)]
  .map(([, block]) => block!.trim())
  // Tasks of elsewhere need a checkout, suites more tasks than there are here.
  .filter((block) => !block.includes('tasks import'))
  .flatMap((block) => block.split('\n'))
  .filter((line) => !line.includes('--suite'))
  .map((line) => line.replace(/#.*/, '').trim().split(/ +/));
function played(words: string[]): string[] {
  const text = words.join(' ');
  // The guide's reader has containers; the test needs none.
  const local = /^(tasks (check|verify)|submit)/.test(text) ? [...words, '--backend', 'local'] : words;
  if (text === 'tasks verify points --sample') return [...local, ...KINDS, '--concurrency', '4', '--json'];
  return text.startsWith('submit ') ? local.map((word) => (word === 'points' ? 'points,questions' : word)) : local;
}

// Without it, the test below verifies tasks.
it.runIf(LONG)('the guide to writing a task leads to one that is verified and ranked, whatever its kind', async () => {
  for (const kind of KINDS) begin(kind, kind);
  const questions = readFileSync(file('questions', 'task.yaml'), 'utf8');
  const stated = Number(STATED.exec(questions)?.[1]);
  writeFileSync(file('questions', 'task.yaml'), questions.replace(STATED, ''));

  expect(steps.length).toBeGreaterThan(7);
  let verified: Verification | undefined;
  for (const [program, ...words] of steps) {
    expect(program).toBe('bench');
    const done = await home.run(...played(words));
    expect(done.exitCode, `bench ${words.join(' ')}\n${done.stdout}\n${done.stderr}`).toBe(0);
    if (words.includes('verify') && words.includes('--sample')) verified = JSON.parse(done.stdout) as Verification;
  }
  const board = await home.json<{ rows: { model: string; rank: number | null }[] }>(
    ...['leaderboard', '--tasks', 'points', '--include', 'scripted,local'],
  );
  expect(board.rows.find(({ rank }) => rank === 1)?.model).toBe('scripted:oracle');

  expect(verified?.tasks.map(({ task }) => task)).toEqual(['points', ...KINDS]);
  for (const { task, checks } of verified?.tasks ?? []) {
    const said = new Map(checks.map(({ name, status, detail }) => [name, `${status} ${detail}`]));
    const ways =
      task === 'points' ? /empty, garbage, truncated, extra row, / : /empty, garbage, syntax error, raises, missing/;
    expect(said.get('wrong'), task).toMatch(ways);
    expect(said.get('repeat'), task).toMatch(/^ok/);
  }

  // What task.yaml does not state is told by the first run of the starter, and stays.
  const runs = await home.sql<{ final_score: number; value: number }>(
    `select r.final_score, b.value from runs r join baselines b on b.content_hash = r.task_hash
     where r.task_id = 'questions' and r.model_name = 'scripted:baseline' order by r.ended_at`,
  );
  expect(runs.map(({ value }) => value)).toEqual([runs[0]?.final_score, runs[0]?.final_score]);
  expect(Math.abs(runs[0]!.value - stated)).toBeLessThan(0.1);
});

it('bench tasks verify finds what is wrong with a task, and says so by its exit code', async () => {
  // It takes what is no submission, its oracle is the starter, its score is another one.
  begin('broken', 'program');
  const careless = 'def evaluate(files):\n    return {"mse": float(len(files.names()))}\n';
  writeFileSync(file('broken', 'evaluator/referee.py'), careless);
  writeFileSync(file('broken', 'oracle/predict.py'), readFileSync(file('broken', 'starter/predict.py')));
  begin('raw', 'data');
  begin('crashing', 'questions');
  const crash = 'def evaluate(player):\n    labels = {}\n    return {"accuracy": labels["secret"]}\n';
  writeFileSync(file('crashing', 'evaluator/referee.py'), crash);
  const done = await home.run(
    ...['tasks', 'verify', 'broken', 'raw', 'crashing', '--backend', 'local', '--concurrency', '3'],
  );
  expect(done.exitCode).toBe(1);
  expect(done.stdout).toMatch(/broken, baseline: .*stated/);
  expect(done.stdout).toMatch(/broken, oracle: .*not better/);
  expect(done.stdout).toContain('bench tasks prepare raw');

  // What the referee died of is for its author, not for the agent.
  const fault = "referee.py:3: KeyError: 'secret'";
  expect(done.stdout).toContain(`crashing, baseline: it has no score: ${fault};`);
  expect(done.stdout).toContain(`empty breaks the referee: ${fault}`);
  const [run] = await home.sql<{ run_id: string }>(
    "select run_id from runs where task_id = 'crashing' and model_name = 'scripted:oracle'",
  );
  const shown = await home.run('show', run!.run_id);
  expect(shown.stdout).toMatch(/evaluator error +referee\.py:3: KeyError: 'secret'/);
  const { evaluationList } = await home.json<RunDetail>('show', run!.run_id);
  expect(evaluationList.at(-1)).toMatchObject({ status: 'evaluator_error', fault });
  const agentSaw = await home.sql("select 1 from steps where observation ~ 'KeyError|referee'");
  expect(agentSaw).toEqual([]);
});
