import { existsSync, readdirSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parserOf } from '../../../../domain/agent/parse-reply.js';
import { bridgedReply, unplayableStep } from '../../../../domain/recording/reply.js';
import { listAgents } from '../../../../catalog/index.js';
import { loadRecording } from '../../../../catalog/recordings.js';
import { notTested } from '../../../setup/not-tested.js';

/** Published MLGym runs, which are not in this repository; a setting names their folder. */
const root = resolve(process.env['BENCH_SHARED_DATA'] ?? join(import.meta.dirname, '../../../../../shared/data'));
const folder = join(root, 'mlgym-bench-v0', 'trajectories');
const present = existsSync(folder);
if (!present) notTested('published runs of MLGym-Bench', `they are not part of the repository, and not at ${folder}`);
const files = present
  ? readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.traj'))
      .sort()
  : [];
const bare = (text: string): string => text.replaceAll('\r\n', '\n').trim();

describe.skipIf(!present)('published recordings', () => {
  it('all read: 16 files, 288 replies, 8 ends that were forced', () => {
    const recordings = files.map((file) => loadRecording(join(folder, file)).recording);
    const sum = (of: (recording: (typeof recordings)[number]) => number) =>
      recordings.reduce((total, recording) => total + of(recording), 0);
    expect([files.length, sum(({ steps }) => steps.length), sum(({ omitted }) => omitted)]).toEqual([16, 288, 8]);
    expect(new Set(recordings.map(({ workspace }) => workspace))).toEqual(new Set(['/home/agent/workspace']));
    expect(recordings.filter(({ scores }) => scores.length > 0)).toHaveLength(11);
  });

  const { agents } = listAgents([resolve(import.meta.dirname, '../../../../configs')]);
  it.each(agents.map((agent) => [agent.name, agent] as const))('are all said as recorded by agent %s', (_, agent) => {
    const form = { parser: agent.config.outputParser, commands: agent.config.tools.commands };
    const parse = parserOf(form.parser);
    const lost: string[] = [];
    for (const file of files) {
      const { recording } = loadRecording(join(folder, file));
      expect(unplayableStep(form, recording)).toBeNull();
      recording.steps.forEach((step, at) => {
        const reply = bridgedReply(form, step);
        const parsed = reply === null ? null : parse(reply, form);
        if (
          parsed?.kind !== 'action' ||
          bare(parsed.action) !== bare(step.action) ||
          bare(parsed.thought) !== bare(step.thought)
        )
          lost.push(`${basename(file)}, step ${at + 1}`);
      });
    }
    expect(lost).toEqual([]);
  });
});
