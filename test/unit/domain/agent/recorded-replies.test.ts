import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { DEFAULT_COMMANDS } from '../../../../domain/agent/commands.js';
import { parserOf } from '../../../../domain/agent/parse-reply.js';

/** Published MLGym runs, which are not part of this repository: where they are is a setting of the test. */
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
if (!present) {
  console.warn(
    `SKIPPED: no recorded runs under ${recordings}; set BENCH_SHARED_DATA to the folder that holds mlgym-bench-v0/`,
  );
}

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
