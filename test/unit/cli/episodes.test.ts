import pc from 'picocolors';
import { describe, expect, it } from 'vitest';
import { renderEpisode, renderEpisodes } from '../../../cli/render/episodes.js';
import { type EpisodeFigures, episodeFiguresSchema } from '../../../domain/views/training.js';

const plain = pc.createColors(false);
const NOW = new Date('2026-03-01T12:01:00Z');

const episode = (more: Partial<EpisodeFigures> = {}): EpisodeFigures =>
  episodeFiguresSchema.parse({
    ...{ episodeId: 'r-01m7xxn9m2n5v9m82grgkdvxf2', runId: 'r-01m7xxn9m2n5v9m82grgkdvxf2', batchId: 'b-1' },
    ...{
      task: 'battleOfSexes',
      group: null,
      seed: 7,
      protocol: 'rest',
      labels: {},
      policyVersion: 3,
      lastPolicyVersion: 3,
    },
    ...{
      status: 'ended',
      endReason: 'submit',
      reward: 0.5,
      gain: 0.25,
      fault: null,
      isTerminated: true,
      isTruncated: false,
    },
    ...{ errored: false, abandoned: false, masked: false, numTurns: 4, steps: 4, formatErrors: 0, replyChars: 10 },
    ...{
      replyTokens: 3,
      commands: 4,
      failedCommands: 0,
      validations: 1,
      resetMs: 12,
      queueMs: 1500,
      firstCommandMs: 40,
    },
    ...{ forkMs: null, createdAt: '2026-03-01T12:00:00.000Z', endedAt: '2026-03-01T12:00:30.000Z', ...more },
  });

describe('episodes', () => {
  it('are a line each: how it ended, by which policies, for which reward', () => {
    const rows = renderEpisodes(
      [
        episode(),
        episode({ errored: true, fault: 'infra_error', reward: null, group: 'g1', lastPolicyVersion: 5 }),
        episode({ abandoned: true, policyVersion: null, lastPolicyVersion: null }),
        episode({ status: 'running', endedAt: null, episodeId: 'my own' }),
      ],
      plain,
      NOW,
    ).split('\n');
    expect(rows).toHaveLength(5);
    expect(rows[1]).toMatch(/gkdvxf2 +battleOfSexes +– +7 +3 +submit +4 +0\.25 +0\.5 +30 s$/);
    expect(rows[2]).toMatch(/ g1 .* 3 to 5 +infra error .* – +30 s$/);
    expect(rows[3]).toMatch(/ – +given up /);
    expect(rows[4]).toMatch(/^my own .* running .* 1 min$/);
    expect(renderEpisodes([], plain)).toBe('No episodes.');
  });

  it('are shown with where the time of each action went', () => {
    const at = '2026-03-01T12:00:02.000Z';
    const action = { seq: 1, step: 1, policyVersion: 3, timedOut: false, reward: null, gain: null, at };
    const times = { thinkMs: 2000, queueMs: 0, commandMs: 30, evaluationMs: 0, platformMs: null };
    const shown = renderEpisode(
      {
        ...episode({ masked: true, labels: { arm: 'a' } }),
        rewardRequest: { mode: 'best' },
        actions: [
          { ...action, ...times, action: 'ls\n-l', formatError: false, exitCode: 2 },
          { ...action, ...times, action: '17', formatError: true, exitCode: null },
        ],
      },
      plain,
      NOW,
    );
    for (const part of [
      '0.5 by {"mode":"best"}, masked',
      'reset 12 ms, sandbox 1.5 s, first command 40 ms',
      '{"arm":"a"}',
    ])
      expect(shown).toContain(part);
    expect(shown).toMatch(/ ls -l +2 +– +2 s +0 ms +30 ms +0 ms +–$/m);
    expect(shown).toMatch(/ 17 +not executed /);
  });
});
