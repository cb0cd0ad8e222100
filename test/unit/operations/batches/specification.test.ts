import { expect, it } from 'vitest';
import { specificationDifferences } from '../../../../operations/batches/specification.js';

it('two specifications are the same whatever the order of their keys, and absent is as null', () => {
  const before = { seed: 42, budgetUsd: null, groups: [{ attempts: 4, sampling: { temperature: 0 } }] };
  const now = { groups: [{ sampling: { temperature: 0 }, attempts: 4 }], seed: 42 };
  expect(specificationDifferences(before, now)).toEqual([]);
});

it('each value that changed is named with its place, what it was and what it is', () => {
  const before = { seed: 42, groups: [{ attempts: 4, tasks: { blotto: 'a' } }] };
  const now = { seed: 43, groups: [{ attempts: 4, tasks: { blotto: 'b', battleOfSexes: 'c' } }] };
  expect(specificationDifferences(before, now)).toEqual([
    'seed (42, now 43)',
    'groups.0.tasks.blotto ("a", now "b")',
    'groups.0.tasks.battleOfSexes (nothing, now "c")',
  ]);
});

it('a group more or less is a difference', () => {
  const [group] = [{ attempts: 1 }];
  expect(specificationDifferences({ groups: [group] }, { groups: [group, group] })).toEqual([
    'groups.1.attempts (nothing, now 1)',
  ]);
});
