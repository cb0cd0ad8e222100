import { describe, expect, test } from 'vitest';
import { spread } from '../../../web/client/leaderboard/spread.js';

describe('spread', () => {
  test('leaves places that are far enough apart, and moves no more than it must', () => {
    expect(spread([10, 50, 90], 16, 0, 100)).toEqual([10, 50, 90]);
    expect(spread([50, 50, 20], 16, 0, 100)).toEqual([50, 66, 20]);
    expect(spread([98, 99, 100], 16, 0, 100)).toEqual([68, 84, 100]);
    expect(spread([], 16, 0, 100)).toEqual([]);
  });
});
