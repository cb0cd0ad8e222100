import { expect, test } from 'vitest';
import { attemptsNeeded } from '../../../../domain/statistics/attempts-needed.js';
import { randomIndexes } from '../../../../domain/statistics/random-index.js';

test('half of the difference needs four times the attempts, four times the tasks a quarter', () => {
  const at = (tasks: number, difference: number) => attemptsNeeded({ spread: 0.4, tasks, difference });
  expect(at(1, 0.2)).toBe(63);
  expect(at(1, 0.1)).toBe(252);
  expect(at(4, 0.1)).toBe(63);
});

test('scores that never vary need one attempt', () => {
  expect(attemptsNeeded({ spread: 0, tasks: 3, difference: 0.1 })).toBe(1);
});

test('so many attempts tell two models apart in four of five comparisons', () => {
  const draw = randomIndexes(5);
  const uniform = (): number => (draw(2 ** 20) + 0.5) / 2 ** 20;
  const normal = (): number => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
  const [spread, tasks, difference] = [0.3, 3, 0.15];
  const attempts = attemptsNeeded({ spread, tasks, difference });
  const mean = (shift: number): number => {
    let sum = 0;
    for (let nth = 0; nth < tasks * attempts; nth++) sum += shift + spread * normal();
    return sum / (tasks * attempts);
  };
  const error = spread * Math.sqrt(2 / (tasks * attempts));
  let found = 0;
  for (let nth = 0; nth < 1000; nth++) if (Math.abs(mean(difference) - mean(0)) > 1.96 * error) found += 1;
  expect(found / 1000).toBeGreaterThan(0.76);
  expect(found / 1000).toBeLessThan(0.86);
});
