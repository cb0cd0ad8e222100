import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { computeFigures, FIGURES_VERSION, hashOf } from '../../../db/queries/leaderboard-figures.js';
import type { Compared } from '../../../domain/statistics/leaderboard-intervals.js';
import { seededRandom } from '../../setup/random.js';

const random = seededRandom(5);
const score = () => (random() < 0.1 ? null : Math.round(64 * (1 + 4 * random())) / 64);
const compared: Compared = {
  methods: ['a', 'b', 'c'],
  tasks: (['maximize', 'minimize', 'maximize'] as const).map((direction, i) => ({
    ...{ direction, baseline: 2, standardError: 0.1, target: direction === 'maximize' ? 5 : 1 },
    cells: [0, 1, 2].map((model) => {
      const best = model === 2 && i === 2 ? [] : Array.from({ length: 3 }, score);
      return { best, last: best, ran: best.length > 0 };
    }),
  })),
};
const options = { order: 'win-rate', kind: 'best' } as const;

test('equal attempts give the figures that they gave before: else FIGURES_VERSION is raised', () => {
  const figures = (['win-rate', 'rank'] as const).map((order) => computeFigures(compared, { ...options, order }));
  // Last digits differ between versions of V8.
  const text = JSON.stringify(figures, (_, value: unknown) =>
    typeof value === 'number' ? Number(value.toFixed(9)) : value,
  );
  expect({ version: FIGURES_VERSION, hash: createHash('sha256').update(text).digest('hex') }).toEqual({
    version: 6,
    hash: 'f9bbb6f1ef45a0f426a4eb2f83ebcbdb43a3d51ded8a3aef1a5c745611b816e8',
  });
});

test('whatever figures are computed from is in the hash that they are kept under', () => {
  const hash = hashOf(compared, options);
  expect(hashOf(structuredClone(compared), options)).toBe(hash);
  const others = [{ order: 'rank' as const }, { kind: 'last' as const }];
  const hashes = others.map((other) => hashOf(compared, { ...options, ...other }));
  const change = (edit: (task: Compared['tasks'][number]) => void) => {
    const copy = structuredClone(compared);
    edit(copy.tasks[1]!);
    return hashOf(copy, options);
  };
  hashes.push(
    change((task) => (task.baseline = 3)),
    change((task) => (task.baseline = null)),
    change((task) => (task.standardError = null)),
    change((task) => (task.target = 0.5)),
    change((task) => (task.direction = 'maximize')),
    change((task) => (task.cells[0] = { ...task.cells[0]!, ran: false })),
    change((task) => (task.cells[0] = { ...task.cells[0]!, best: [1, 2, 3] })),
    change((task) => (task.cells[0] = { ...task.cells[0]!, last: [1, 2, null] })),
  );
  expect(new Set([hash, ...hashes]).size).toBe(hashes.length + 1);
});
