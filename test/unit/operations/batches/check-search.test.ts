import { describe, expect, it } from 'vitest';
import type { LoadedAgent } from '../../../../catalog/index.js';
import type { ModelRef } from '../../../../domain/model.js';
import { searchSchema } from '../../../../domain/search/spec.js';
import { checkSearch, refuseForkOfTree, stepsOfTree } from '../../../../operations/batches/check-search.js';
import { run, task } from '../../../fixtures/rows.js';

const search = searchSchema.parse({ policy: 'greedy', nodes: 10, nodeSteps: 6 });
const plain = run('b-1', task('t'), 'm', 1);
const agent = (more: object = { search }): LoadedAgent => ({
  name: 'a',
  hash: 'h',
  config: { ...plain.agent, ...more },
});
const models: ModelRef[] = [plain.model];
const tasks = [{ spec: task('t') }];

describe('a tree of forks', () => {
  it('may take the steps of all its nodes', () => expect(stepsOfTree(search)).toBe(60));

  it('is played where there are snapshots, and by models that answer by themselves', () => {
    checkSearch(agent(), { models, tasks, snapshotEvery: null });
    checkSearch(agent({}), { models: [{ ...models[0]!, kind: 'human' }], tasks, snapshotEvery: 0 });
    expect(() => checkSearch(agent(), { models, tasks, snapshotEvery: 0 })).toThrow(/runs of t would keep none/);
    const never = [{ spec: task('u', 'maximize', { snapshotEvery: 0 }) }];
    expect(() => checkSearch(agent(), { models, tasks: never, snapshotEvery: null })).toThrow(
      /runs of u would keep none/,
    );
    checkSearch(agent(), { models, tasks: never, snapshotEvery: 5 });
    for (const kind of ['human', 'external', 'replay'] as const)
      expect(() => checkSearch(agent(), { models: [{ ...models[0]!, kind }], tasks, snapshotEvery: null })).toThrow(
        /m plays one line/,
      );
  });

  it('is not forked itself: its nodes are', () => {
    refuseForkOfTree(plain);
    expect(() => refuseForkOfTree({ ...plain, agent: { ...plain.agent, search } })).toThrow(/played a tree of forks/);
  });
});
