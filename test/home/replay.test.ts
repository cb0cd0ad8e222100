import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BenchHome } from '../setup/bench-home.js';
import type { Leaderboard } from '../../domain/views/leaderboard.js';
import type { TrajectoryStep } from '../../domain/views/trajectory.js';
import { REFUSED_STAND_IN } from '../../domain/recording/reply.js';
import { type Replayed, replayed } from '../setup/replayed.js';
import { LONG } from '../setup/long.js';

const home = new BenchHome();
const TASK = 'battleOfSexes';

/** As MLGym would have recorded it elsewhere: one step has another observation. */
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

describe('a recorded model', () => {
  let played: Replayed;

  it.each(LONG ? ['default', 'bash-only', 'tool-calling'] : ['tool-calling'])(
    'plays the recorded actions through agent %s',
    async (agent) => {
      played = await replayed(home, 'run.traj', TASK, '--agent', agent);
      const { run, recorded, added, scores } = played;
      expect(recorded.map(({ same }) => same)).toEqual([true, true, false, false, true]);
      expect(recorded.map(({ action }) => action?.trim())).toEqual([
        ...entries.slice(0, 3).map(({ action }) => action.trim()),
        // Refused by the agent's blocklist.
        REFUSED_STAND_IN,
        'validate',
      ]);
      // Its submission.
      expect(added).toBe(1);
      expect(run).toMatchObject({ model: 'replay:run.traj', agent, status: 'ended', endReason: 'submit' });
      expect(scores.recorded).toEqual([1.07, 1.08]);
      expect(scores.now).toHaveLength(2);
      expect(scores.now.every((score) => typeof score === 'number')).toBe(true);
    },
  );

  it('costs nothing, and is not ranked unless asked for', async () => {
    const run = await home.json<{ modelKind: string; costUsd: string; usage: { inputTokens: number } }>(
      'show',
      played.run.runId,
    );
    expect(run).toMatchObject({ modelKind: 'replay', costUsd: '0', usage: { inputTokens: 0 } });
    const board = await home.json<Leaderboard>('leaderboard');
    expect(board.rows).toMatchObject([{ kind: 'replay', rank: null, unranked: 'kind' }]);
    const [asked] = (await home.json<Leaderboard>('leaderboard', '--include', 'scripted')).rows;
    expect(asked?.rank).toBe(1);
  });

  // Without it, recorded actions are played above.
  it.runIf(LONG)('plays a run of its own, written by bench trajectory, and all is the same', async () => {
    const own = await home.run('trajectory', played.run.runId, '--json');
    write('own.json', own.stdout);
    const { steps } = JSON.parse(own.stdout) as { steps: TrajectoryStep[] };
    const again = await replayed(home, 'own.json', TASK);
    expect(again.recorded.map(({ action }) => action)).toEqual(steps.map(({ action }) => action));
    expect(again).toMatchObject({ same: steps.length, added: 0, run: { endReason: 'submit' } });
    expect(again.scores.recorded).toEqual(played.scores.now);
  });

  it('of a file that is no recording says what is missing', async () => {
    write('broken.traj', '{}');
    const broken = await home.run('submit', '--models', 'replay:broken.traj', '--tasks', TASK, '--backend', 'docker');
    expect(broken.exitCode).toBe(2);
    expect(broken.stderr).toContain('broken.traj: has neither "trajectory"');
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
