import { describe, expect, it, test } from 'vitest';
import { REWARD_PRESET_NAMES, rewardRequest, type RewardInput } from '../../../../domain/requests/reward.js';

describe('a reward', () => {
  it('pays differences, if nothing is said', () => {
    expect(rewardRequest()).toEqual({ mode: 'delta_prev' });
  });

  test.each(REWARD_PRESET_NAMES)('%s is one, whole', (preset) => {
    expect(rewardRequest({ preset })).toEqual(rewardRequest(rewardRequest({ preset })));
  });

  it('changes a preset by the keys that are given', () => {
    expect(rewardRequest({ preset: 'torchrl', format_penalty: 0.5 })).toEqual({
      ...{ mode: 'delta_prev', unit: 'score', format_penalty: 0.5 },
    });
  });

  test.each<[string, object]>([
    ['mode', { mode: 'dleta' }],
    ['clip', { clip: [1, -1] }],
    ['use best with tiers', { mode: 'tier' }],
    ['use delta_prev', { mode: 'each' }],
    ['use best, which', { mode: 'delta_best' }],
    ['tiers', { mode: 'final', tiers: [{ above: 1, reward: 1 }] }],
    ['scale', { mode: 'final', scale: -1 }],
    ['offset', { mode: 'best', offset: 0.5 }],
    ['an unchanged submission', { clip: [0.1, 1] }],
    ['scale', { mode: 'delta_prev', scale: 2 }],
    ['clip', { preset: 'v6_binary', clip: [0, 1] }],
    ['window', { mode: 'best', window: 8 }],
    ['format_penalty', { format_penalty: -1 }],
    ['no_valid_penalty', { no_valid_penalty: Number.NaN }],
    ['clip_to', { clip_to: 1 }],
  ])('that is wrong at %s is refused: %j', (key, reward) => {
    expect(() => rewardRequest(reward as RewardInput)).toThrow(
      expect.objectContaining({
        type: 'usage',
        code: 'reward.invalid',
        message: expect.stringContaining(key) as string,
      }),
    );
  });
});
