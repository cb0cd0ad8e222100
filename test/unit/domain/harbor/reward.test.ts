import { describe, expect, test } from 'vitest';
import { judgeReward } from '../../../../domain/harbor/reward.js';

const report = (tests: number, passed: number) => JSON.stringify({ results: { summary: { tests, passed } } });
const files = (given: Partial<Parameters<typeof judgeReward>[0]>) => ({
  ...{ rewardJson: null, rewardTxt: null, ctrf: null },
  ...given,
});
const judged = (given: Partial<Parameters<typeof judgeReward>[0]>, wantsReport = false) =>
  judgeReward(files(given), wantsReport);

describe('the reward of a verification', () => {
  test('is a finite number of reward.txt, or of reward.json, which outranks it', () => {
    expect(judged({ rewardTxt: '1\n' })).toEqual({ kind: 'ok', metrics: { reward: 1 } });
    expect(judged({ rewardTxt: '1', rewardJson: '{"reward": 0.25}' })).toEqual({
      kind: 'ok',
      metrics: { reward: 0.25 },
    });
    expect(judged({ rewardJson: '{"score": 0.5}' })).toEqual({ kind: 'ok', metrics: { reward: 0.5 } });
  });

  test.each([
    [{}, /left neither/],
    [{ rewardTxt: '' }, /no finite number/],
    [{ rewardTxt: 'nan' }, /no finite number/],
    [{ rewardTxt: '1e999' }, /no finite number/],
    [{ rewardTxt: '1 2' }, /no finite number/],
    [{ rewardJson: '{"reward": 1e999}' }, /no finite number/],
    [{ rewardJson: '{"reward": NaN}' }, /no JSON/],
    [{ rewardJson: '{"a": 1, "b": 2}' }, /several rewards.*a, b/],
    [{ rewardJson: '[1]' }, /no object/],
  ])('%j is nobody’s score', (given, message) => {
    expect(judged(given)).toEqual({ kind: 'evaluator_error', message: expect.stringMatching(message) as string });
  });

  test('0 without the report that the tests write means that they did not run', () => {
    expect(judged({ rewardTxt: '0' }, true)).toMatchObject({ kind: 'evaluator_error' });
    expect(judged({ rewardTxt: '0', ctrf: report(2, 1) }, true)).toEqual({ kind: 'ok', metrics: { reward: 0 } });
    expect(judged({ rewardTxt: '0', ctrf: 'x' }, true)).toMatchObject({ kind: 'evaluator_error' });
  });

  test('1 though tests were skipped, or none ran, is refused', () => {
    expect(judged({ rewardTxt: '1', ctrf: report(2, 2) }, true)).toMatchObject({ kind: 'ok' });
    expect(judged({ rewardTxt: '1', ctrf: report(2, 1) }, true)).toMatchObject({ kind: 'rejected' });
    expect(judged({ rewardTxt: '1', ctrf: report(0, 0) }, true)).toMatchObject({ kind: 'rejected' });
  });
});
