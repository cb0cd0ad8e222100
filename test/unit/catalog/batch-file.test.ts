import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { loadBatchFile } from '../../../catalog/batch-file.js';

const dir = mkdtempSync(join(tmpdir(), 'bench-batch-file-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const load = (text: string) => {
  const file = join(dir, 'batch.yaml');
  writeFileSync(file, text);
  return loadBatchFile(file);
};

describe('a batch file', () => {
  it('without groups is one group', () => {
    const { groups } = load('version: 1\nmodels: [gpt-4o]\ntasks: [all]\nattempts: 4\n');
    expect(groups).toEqual([expect.objectContaining({ models: ['gpt-4o'], tasks: ['all'], attempts: 4 })]);
  });

  it('gives each group what the file says for all, unless the group says otherwise', () => {
    const { groups, budget } = load(
      'version: 1\ntasks: [blotto]\nwallTime: 2h\nbudget: 0.25\ngroups:\n  - models: [a]\n  - models: [b]\n    wallTime: 90s\n',
    );
    expect(groups.map(({ models, tasks, wallTime }) => ({ models, tasks, wallTime }))).toEqual([
      { models: ['a'], tasks: ['blotto'], wallTime: 7200 },
      { models: ['b'], tasks: ['blotto'], wallTime: 90 },
    ]);
    expect(budget).toBe('0.25');
  });

  it.each([
    ['version: 2\nmodels: [a]\ntasks: [b]', /version/],
    ['version: 1\nmodels: [a]', /tasks.*missing/],
    [
      'version: 1\ntasks: [b]\ngroups:\n  - models: [a]\n  - attempts: 2',
      /groups\[1\]\.models.*missing|groups\.1\.models.*missing/,
    ],
    ['version: 1\nmodels: [a]\ntasks: [b]\nbudget: -1', /budget.*US dollars above zero/],
    [
      'version: 1\nmodels: [a]\ntasks: [b]\nbudget: .nan',
      /^\S+:4: budget: must be US dollars above zero: 5, 0.25, found NaN$/m,
    ],
    ['version: 1\nmodels: [a]\ntasks: [b]\nattempt: 3', /attempt/],
    ['version: 1\nmodels: [a]\ntasks: [b]\nname: b-mine', /name.*not beginning with b-/],
  ])('that is wrong is refused with the key: %j', (text, message) => {
    expect(() => load(text)).toThrow(message);
  });
});
