import { expect, test } from 'vitest';
import { openPresence } from '../../../envs/presence.js';

function presence() {
  const clock = { ms: 0 };
  const opened = openPresence(() => clock.ms);
  const dueAt = (ms: number, idleSeconds = 1_200): boolean => {
    clock.ms = ms;
    return opened.due({ runId: 'r-1', idleSeconds });
  };
  return { ...opened, dueAt };
}

test('of many requests few say that their client is there', () => {
  const { dueAt } = presence();
  expect([0, 1, 19_999, 20_000, 39_999, 40_000].filter((ms) => dueAt(ms))).toEqual([0, 20_000, 40_000]);
});

test('an episode that is soon given up is told of more often', () => {
  const { dueAt } = presence();
  expect([0, 299, 300, 500, 600].filter((ms) => dueAt(ms, 3))).toEqual([0, 300, 600]);
});

test('what an action has written is not written again, what says something else is', () => {
  const episode = presence();
  const { dueAt } = episode;
  episode.written('r-1');
  expect(dueAt(10)).toBe(false);
  episode.forget('r-1');
  expect(dueAt(20)).toBe(true);
});
