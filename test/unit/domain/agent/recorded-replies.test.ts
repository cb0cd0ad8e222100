import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { DEFAULT_COMMANDS } from '../../../../domain/agent/commands.js';
import { guardMultiline } from '../../../../domain/agent/guard-multiline.js';
import { parserOf } from '../../../../domain/agent/parse-reply.js';
import { notTested } from '../../../setup/not-tested.js';

/** Published MLGym runs, which are not in this repository; a setting names their folder. */
const root = resolve(process.env.BENCH_SHARED_DATA ?? join(import.meta.dirname, '../../../../../shared/data'));
const recordings = join(root, 'mlgym-bench-v0', 'trajectories');

interface RecordedStep {
  response: string;
  thought: string;
  action: string;
}

function recordedSteps(): { place: string; step: RecordedStep }[] {
  return readdirSync(recordings, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.traj'))
    .sort()
    .flatMap((file) => {
      const { trajectory } = JSON.parse(readFileSync(join(recordings, file), 'utf8')) as { trajectory: RecordedStep[] };
      return trajectory.map((step, index) => ({ place: `${file}, step ${index + 1}`, step }));
    });
}

const present = existsSync(recordings);
if (!present)
  notTested('published runs of MLGym-Bench', `they are not part of the repository, and not at ${recordings}`);

it.skipIf(!present)('every recorded reply is read as it was when it was recorded', () => {
  const steps = recordedSteps();
  const forced = steps.filter(({ step }) => /^exit_\w+$/.test(step.action.trim()));
  const replies = steps.filter((step) => !forced.includes(step));
  const parse = parserOf('mlgym-thought-action');
  const different = replies.filter(({ step }) => {
    const parsed = parse({ text: step.response }, { commands: DEFAULT_COMMANDS });
    return parsed.kind !== 'action' || parsed.thought !== step.thought || parsed.action !== step.action;
  });
  console.info(
    `recorded steps: ${steps.length}; replies: ${replies.length}; forced ends: ${forced.length}; read differently: ${different.length}`,
  );
  expect(different.map(({ place }) => place)).toEqual([]);
  expect([steps.length, replies.length, forced.length]).toEqual([296, 289, 7]);
});

const editor = [
  { name: 'edit', endName: 'end_of_edit' },
  { name: 'insert', endName: 'end_of_insert' },
];

it.skipIf(!present)('every recorded edit reaches bash whole, or is refused for want of its end', () => {
  let edits = 0;
  const malformed: string[] = [];
  const broken: string[] = [];
  for (const { place, step } of recordedSteps()) {
    if (!/^(?:edit|insert)\b/m.test(step.action)) continue;
    const guarded = guardMultiline(step.action, editor);
    if (guarded.kind === 'malformed') {
      malformed.push(step.action.split('\n')[0]!);
      continue;
    }
    edits += 1;
    const { status, stderr } = spawnSync('bash', ['-n'], { input: guarded.script, encoding: 'utf8' });
    if (status !== 0 || stderr !== '') broken.push(`${place}: ${stderr}`);
  }
  console.info(`recorded edits: ${edits} guarded, ${malformed.length} without an end`);
  expect(broken).toEqual([]);
  // Neither has its end word: the window that they meant would have lost these lines.
  expect(malformed).toEqual(['edit "src/train_improved.py" 28:55', 'edit 5:26']);
  expect(edits).toBe(101);
});

it.skipIf(!present)('a recorded action without edits reaches bash as it was written', () => {
  const others = recordedSteps().filter(({ step }) => !/\b(?:edit|insert)\b/.test(step.action));
  expect(others.length).toBeGreaterThan(100);
  for (const { step } of others) {
    const text = step.action;
    expect(guardMultiline(text, editor)).toEqual({ kind: 'script', script: text });
  }
});
