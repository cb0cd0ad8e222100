import { describe, expect, test } from 'vitest';
import { writeReport } from '../../../report/index.js';
import { endsOf, trainingCurves, type Versioned } from '../../../report/training-charts.js';
import { data, policy, row, run } from './fixtures.js';

const report = (...training: ReturnType<typeof policy>[]) => data([row('external')], [run('external')], { training });
const known = (version: number, more: Parameters<typeof policy>[1] = {}) => policy(version, more) as Versioned;

describe('a report on training', () => {
  test('has a curve of each figure over policy versions, with words for it', () => {
    const text = writeReport.html(
      report(
        policy(1, { reward: 0.25, reward_std: 0.125, gain: 0.5, frac_reward_zero_std: 0.75, terminated: 4 }),
        policy(2, {
          reward: 0.5,
          reward_std: 0,
          gain: 0.75,
          frac_reward_zero_std: 0.25,
          terminated: 3,
          errored_rollouts: 1,
        }),
      ),
    );
    for (const id of ['reward', 'gain', 'spread', 'ends']) expect(text).toContain(`training-${id}-wide-desc`);
    expect(text).toContain('Reward from version 1, 0.25, to version 2, 0.5; between 0.25 and 0.5.');
    expect(text).toContain('Of version 2: terminated 75 %, errored 25 %.');
    expect(text.indexOf('<section id="training"')).toBeLessThan(text.indexOf('<section id="leaderboard"'));
    expect(writeReport.html(data([row('one')], [run('one')]))).not.toContain('id="training"');
  });

  test('leaves out curves of which nothing is known, and survives a single version and none', () => {
    const ids = (...policies: Versioned[]) => trainingCurves(policies).map(({ id }) => id);
    expect(ids(known(1, { reward: 1 }), known(2))).toEqual(['training-reward']);
    expect(ids()).toEqual([]);
    for (const training of [[policy(3, { reward: 1, reward_std: 0 })], [policy(3, { ended: 0 })], [policy(null)], []])
      expect(writeReport.html(report(...training))).toContain('<section id="training"');
    expect(writeReport.html(report(policy(null)))).not.toContain('training-ends');
    expect(writeReport.md(report(policy(null)))).toContain('4 episodes of no stated version are in the table alone');
  });

  test('tells ends as shares that make up the whole', () => {
    const one = known(1, {
      ended: 8,
      terminated: 2,
      truncations: { max_steps: 3, format: 1 },
      errored_rollouts: 1,
      abandoned: 1,
    });
    const ends = endsOf([one]);
    expect(ends.map(({ label, share }) => [label, share(one)])).toEqual([
      ['terminated', 0.25],
      ['truncated: format', 0.125],
      ['truncated: max steps', 0.375],
      ['errored', 0.125],
      ['abandoned', 0.125],
    ]);
    expect(endsOf([known(1, { terminated: 4 })]).map(({ label }) => label)).toEqual(['terminated']);
  });

  test('has all versions as Markdown', () => {
    const text = writeReport.md(
      report(...Array.from({ length: 40 }, (_, version) => policy(version, { reward: version / 8 }))),
    );
    expect(text).toMatch(/^\| 39 \| 4 \| 4\.875 \|/m);
    expect(text).toContain('## Training');
  });
});
