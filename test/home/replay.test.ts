import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BenchHome } from '../setup/bench-home.js';
import type { Leaderboard } from '../../domain/views/leaderboard.js';
import type { TrajectoryStep } from '../../domain/views/trajectory.js';
import type { ReplayReport } from '../../domain/views/replay.js';
import { LONG } from '../setup/long.js';

const home = new BenchHome();
const TASK = ['--task', 'battleOfSexes', '--backend', 'docker'];

/** As MLGym would have recorded it in another place: one step of it said something that it does not say here. */
const entry = (action: string, observation: string) => ({
  state: '{"open_file": "n/a", "working_dir": "/home/agent/workspace"}',
  response: `I do it.\n\`\`\`\n${action}\n\`\`\`\n`,
  thought: 'I do it.\n',
  action: `${action}\n`,
  execution_time: 0.2,
  observation,
});
const VALID =
  "Your code produced a valid submission artefact at /home/agent/workspace/target.py.\nBaseline Score: {'Score': 1.02}\nEvaluation Score: {'Score': 1.07}";
const entries = [
  entry('pwd', '/home/agent/workspace'),
  entry("cat > note.txt <<'EOF'\nfirst line\nsecond line\nEOF", ''),
  entry('cat note.txt; echo end', 'first line\nanother line\nend'),
  entry('git status', 'fatal: not a git repository'),
  entry('validate', VALID),
];
const forced = { ...entry('exit_cost', ''), action: 'exit_cost', response: 'Exit due to cost limit' };
const info = { exit_status: 'autosubmission (exit_cost)', score: [{ Score: 1.07 }, { Score: 1.08 }] };
const trajectory = [...entries, forced];
const write = (name: string, content: string) => writeFileSync(join(home.dir, name), content);

beforeAll(() => write('run.traj', JSON.stringify({ environment: 'mlgym_main', trajectory, history: [], info })));
afterAll(() => home.remove());

const states = (report: ReplayReport) => report.steps.map(({ state }) => state);

describe('bench replay', () => {
  let played: ReplayReport;

  it.each(LONG ? ['default', 'bash-only', 'tool-calling'] : ['tool-calling'])(
    'plays a recording through agent %s',
    async (agent) => {
      played = await home.processJson<ReplayReport>('replay', 'run.traj', ...TASK, '--agent', agent);
      expect(states(played)).toEqual(['same', 'same', 'diverges', 'refused', 'same', 'added']);
      expect(played).toMatchObject({
        model: 'replay:run.traj',
        agent,
        status: 'ended',
        endReason: 'submit',
        exitStatus: 'submitted',
        recording: { format: 'mlgym', omitted: 1, endedBy: 'autosubmission (exit_cost)' },
        recorded: 5,
        same: 3,
        diverged: 1,
        refused: 1,
        notPlayed: 0,
        scores: { recorded: [1.07, 1.08] },
      });
      expect(played.steps[2]?.difference).toEqual({ line: 2, recorded: 'another line', now: 'second line' });
      expect(played.scores.now).toHaveLength(2);
      expect(played.scores.now.every((score) => typeof score === 'number')).toBe(true);
    },
  );

  it('keeps what was submitted: the report comes back after the file is gone', async () => {
    write('run.traj', '{}');
    expect(await home.json('replay', played.runId)).toEqual(played);
    const shown = await home.run('replay', played.runId);
    expect(shown.exitCode).toBe(0);
    expect(shown.stdout).toContain('3 of 5 observations are the same, 1 diverge');
    expect(shown.stdout).toContain('another line');
  });

  it('costs nothing, and is not ranked unless asked for', async () => {
    const run = await home.json<{ modelKind: string; costUsd: string; usage: { inputTokens: number } }>(
      'show',
      played.runId,
    );
    expect(run).toMatchObject({ modelKind: 'replay', costUsd: '0', usage: { inputTokens: 0 } });
    const board = await home.json<Leaderboard>('leaderboard');
    expect(board.rows).toMatchObject([{ kind: 'replay', rank: null, unranked: 'kind' }]);
    const [asked] = (await home.json<Leaderboard>('leaderboard', '--include-scripted')).rows;
    expect(asked?.rank).toBe(1);
  });

  it('plays a run of its own, written by bench trajectory, and all is the same', async () => {
    const own = await home.run('trajectory', played.runId, '--json');
    write('own.json', own.stdout);
    const { steps } = JSON.parse(own.stdout) as { steps: TrajectoryStep[] };
    const again = await home.processJson<ReplayReport>('replay', 'own.json', ...TASK);
    expect(again).toMatchObject({ recorded: steps.length, same: steps.length, diverged: 0, endReason: 'submit' });
    expect(again.scores.recorded).toEqual(played.scores.now);
    expect(again.recording).toMatchObject({ format: 'bench', endedBy: 'submit' });
  });

  it('of another kind of run, or of a file without its task, says what is missing', async () => {
    const submitted = await home.json<{ runs: { runId: string }[] }>(
      ...['submit', '--models', 'scripted:baseline', '--tasks', 'battleOfSexes', '--attempts', '1'],
      ...['--backend', 'docker', '--wait'],
    );
    const other = await home.run('replay', submitted.runs[0]!.runId);
    expect(other.exitCode).toBe(2);
    expect(other.stderr).toContain('does not play a recording');
    const untold = await home.run('replay', 'own.json');
    expect(untold.exitCode).toBe(2);
    expect(untold.stderr).toContain('--task is missing');
    const broken = await home.run('replay', 'run.traj', ...TASK);
    expect(broken.exitCode).toBe(2);
    expect(broken.stderr).toContain('run.traj: has neither "trajectory"');
  });
});

// Without it, hosts.test.ts and crash.test.ts submit recordings.
it.runIf(LONG)('a recording is a model of a batch like any other', async () => {
  const batch = await home.processJson<{ runs: { model: string; endReason: string }[] }>(
    ...['submit', '--models', 'replay:own.json,scripted:baseline', '--tasks', 'battleOfSexes', '--attempts', '1'],
    ...['--agent', 'tool-calling', '--backend', 'docker', '--wait'],
  );
  expect(batch.runs.map(({ model, endReason }) => [model, endReason])).toEqual([
    ['replay:own.json', 'submit'],
    ['scripted:baseline', 'submit'],
  ]);
});
