import { describe, expect, it } from 'vitest';
import { pruneRequest } from '../../../../domain/requests/prune.js';

describe('what is to be pruned', () => {
  it('is all three kinds if none is named', () => {
    expect(pruneRequest({})).toEqual({ snapshots: true, artifacts: true, images: true, keepDays: 7 });
  });

  it('is what is named, and nothing else', () => {
    expect(pruneRequest({ images: true, keepDays: 0 })).toEqual({
      ...{ snapshots: false, artifacts: false, images: true, keepDays: 0 },
    });
  });

  it.each([-1, 10_001, 1.5])('is refused for %d days', (keepDays) => {
    expect(() => pruneRequest({ keepDays })).toThrow('must be a whole number from 0 to 10000');
  });
});
