import { describe, expect, it } from 'vitest';
import { checkedRequest } from '../../../../domain/requests/checked.js';
import { savedComparisonRequestSchema } from '../../../../domain/requests/comparison.js';
import { leaderboardRequestSchema } from '../../../../domain/requests/leaderboard.js';
import { eventsRequestSchema, runsRequestSchema, sqlRequestSchema } from '../../../../domain/requests/reading.js';
import { verifyTasksRequestSchema } from '../../../../domain/requests/tasks.js';

describe('requests to read', () => {
  it('are completed', () => {
    expect(checkedRequest(runsRequestSchema, {})).toEqual({ limit: 100 });
    expect(checkedRequest(sqlRequestSchema, { timeout: '2m' })).toEqual({ maxRows: 10_000, timeout: 120 });
    expect(checkedRequest(leaderboardRequestSchema, { view: 'spring' })).toEqual({ view: 'spring' });
    expect(checkedRequest(verifyTasksRequestSchema, { suite: 'games' })).toEqual({
      ...{ ids: [], suite: 'games', sample: false, agent: 'default', concurrency: 2 },
    });
  });

  it('leave the metric to a saved comparison', () => {
    expect(checkedRequest(leaderboardRequestSchema, { view: 'paper' })).not.toHaveProperty('metric');
  });

  it('take times with a unit', () => {
    const times = ['90', '90s', '30m', '2h', 5].map((timeout) => checkedRequest(sqlRequestSchema, { timeout }).timeout);
    expect(times).toEqual([90, 90, 1800, 7200, 5]);
  });

  it.each([
    [runsRequestSchema, { limit: 0 }, 'limit must be a whole number from 1 to 100000'],
    [runsRequestSchema, { modles: ['x'] }, 'modles'],
    [eventsRequestSchema, { kind: ['nope'] }, 'kind.0'],
    [sqlRequestSchema, { timeout: '2 days' }, 'timeout must be seconds, or as 90s, 30m, 2h'],
    [savedComparisonRequestSchema, { k: 0.5 }, 'k must be a whole number of at least 1'],
  ])('name what is wrong: %#', (schema, input, message) => {
    expect(() => checkedRequest(schema, input)).toThrow(message);
  });
});
