import { once } from 'node:events';
import { resolve } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { killService } from '../chaos/kill-service.js';
import { BenchHome } from '../setup/bench-home.js';

const MAIN = resolve(import.meta.dirname, '../../dist/cli/main.js');
const EDIT = [
  'start_multiline_command',
  "cat > strategy.py <<'EOF'",
  'def row_strategy(history):',
  '    return 0',
  'EOF',
];

let home: BenchHome;
beforeAll(() => {
  home = new BenchHome();
});
afterAll(() => home.remove());

/** `bench human` with a person whose lines come through a pipe. */
const sit = (...args: string[]) =>
  execa(process.execPath, [MAIN, 'human', ...args], { env: home.env, cwd: home.dir, reject: false, stdin: 'pipe' });
type Terminal = ReturnType<typeof sit>;

async function type(terminal: Terminal, lines: readonly string[]): Promise<{ exitCode: number; stdout: string }> {
  terminal.stdin.end(lines.map((line) => `${line}\n`).join(''));
  const { exitCode, stdout } = await terminal;
  return { exitCode: exitCode ?? -1, stdout };
}

/** Resolves when the terminal has shown this text; rejects if it ends before. */
async function shown(terminal: Terminal, text: string): Promise<void> {
  let seen = '';
  const ended = once(terminal, 'close').then(() => {
    throw new Error(`the terminal ended before it showed ${text}:\n${seen}`);
  });
  const found = new Promise<void>((found) => {
    terminal.stdout.on('data', (chunk: Buffer) => {
      seen += chunk.toString();
      if (seen.includes(text)) found();
    });
  });
  await Promise.race([found, ended]);
}

interface Run {
  runId: string;
  batchId: string;
  modelKind: string;
  status: string;
  endReason: string | null;
  steps: number;
  finalScore: number | null;
  costUsd: string;
}
const runs = async (): Promise<Run[]> => (await home.json<{ runs: Run[] }>('runs')).runs;
const newest = async (): Promise<Run> => {
  const [run] = await runs();
  if (run === undefined) throw new Error('there is no run');
  return run;
};

describe('bench human', () => {
  test('plays a run over several sittings, through requeries and a killed worker, with one reply per question', async () => {
    const first = await type(sit('--task', 'battleOfSexes', '--backend', 'local'), [
      ':raw',
      'I think I shall look around.',
      ':send',
      'ls',
    ]);
    expect(first.exitCode).toBe(130);
    expect(first.stdout).toContain('Write the row player');
    expect(first.stdout).toContain('there was no fenced code block with a command');
    expect(first.stdout).toContain('strategy.py');
    const { runId } = await newest();
    expect(await newest()).toMatchObject({ modelKind: 'human', status: 'running', endReason: null });

    const second = sit(runId.slice(-6));
    await shown(second, '── step 2 ──');
    expect(killService(home, 'worker')).toBe(true);
    const ended = await type(second, [...EDIT, 'end_multiline_command', 'validate', 'submit']);
    expect(ended.exitCode).toBe(0);
    expect(ended.stdout).toContain('1 earlier message omitted');
    expect(ended.stdout).toMatch(/\[evaluation\] .*\n *Score = 1\.4/);
    expect(ended.stdout).toContain(`Run ${runId} has ended: submit`);
    expect(ended.stdout).toMatch(/Final score 1\.4/);

    expect(await newest()).toMatchObject({ endReason: 'submit', steps: 4, costUsd: '0' });
    const steps = await home.sql<{ action: string }>(`select action from steps where run_id = $1 order by step`, [
      runId,
    ]);
    expect(steps.map(({ action }) => action)).toEqual(['ls', [...EDIT.slice(1)].join('\n'), 'validate', 'submit']);
    const calls = await home.sql<{ step: number; try: number; cost: string; ms: number; counted: boolean }>(
      `select step, try, trim_scale(cost_usd)::text as cost, ms, input_tokens > 0 and output_tokens > 0 as counted
       from model_calls where run_id = $1 and status = 'confirmed' order by step, try`,
      [runId],
    );
    const call = { cost: '0', ms: 0, counted: true };
    expect(calls).toEqual([
      { step: 1, try: 0, ...call },
      { step: 1, try: 1, ...call },
      { step: 2, try: 0, ...call },
      { step: 3, try: 0, ...call },
      { step: 4, try: 0, ...call },
    ]);

    const again = await type(sit(runId), []);
    expect(again).toMatchObject({ exitCode: 0 });
    expect(again.stdout).toContain('has ended: submit');
  });

  test('calls tools for an agent that wants tool calls, and asks for thoughts if told to', async () => {
    const { exitCode } = await type(
      sit('--task', 'battleOfSexes', '--backend', 'local', '--agent', 'tool-calling', '--thoughts'),
      ['I look.', 'END_THOUGHT', 'ls', 'Good enough.', 'END_THOUGHT', 'submit'],
    );
    expect(exitCode).toBe(0);
    const { runId } = await newest();
    const steps = await home.sql(`select thought, action from steps where run_id = $1 order by step`, [runId]);
    expect(steps).toEqual([
      { thought: 'I look.', action: 'ls' },
      { thought: 'Good enough.', action: 'submit' },
    ]);
  });

  test('lets a person give up: the run is cancelled and not scored', async () => {
    const { exitCode, stdout } = await type(sit('--task', 'blotto', '--backend', 'local', '--json'), [':quit']);
    expect(exitCode).toBe(0);
    const { runId } = JSON.parse(stdout) as { runId: string };
    const ended = (await runs()).find((run) => run.runId === runId);
    await home.run('watch', ended?.batchId ?? '');
    expect((await runs()).find((run) => run.runId === runId)).toMatchObject({
      endReason: 'cancelled',
      finalScore: null,
    });
  });

  test('says what it needs, and what a batch cannot have', async () => {
    const nothing = await home.run('human');
    expect(nothing).toMatchObject({ exitCode: 2 });
    expect(nothing.stderr).toContain('Give --task <id> to start a run');
    const batch = await home.run('submit', '--models', 'human', '--tasks', 'blotto');
    expect(batch).toMatchObject({ exitCode: 2 });
    expect(batch.stderr).toContain('`bench human` (--task <task>)');
  });
});
