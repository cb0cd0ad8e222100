import { describe, expect, it } from 'vitest';
import type { LoadedAgent } from '../../../../catalog/index.js';
import type { ModelRef } from '../../../../domain/model/model.js';
import { modelConfigSchema } from '../../../../domain/model/config.js';
import { runOptionsSchema } from '../../../../domain/requests/run-options.js';
import { searchSchema } from '../../../../domain/tree/spec.js';
import { checkTree, refuseForkOfTree, stepsOfTree } from '../../../../operations/batches/check-tree.js';
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
const free = runOptionsSchema.parse({});

describe('a tree of forks', () => {
  it('may take the steps of all its nodes', () => expect(stepsOfTree(search)).toBe(60));

  it('is played where there are snapshots, and by models that answer by themselves', () => {
    checkTree(agent(), models, tasks, free);
    checkTree(agent({}), [{ ...models[0]!, kind: 'human' }], tasks, { ...free, snapshotEvery: 0 });
    expect(() => checkTree(agent(), models, tasks, { ...free, snapshotEvery: 0 })).toThrow(/runs of t would take none/);
    const never = [{ spec: task('u', 'maximize', { snapshotEvery: 0 }) }];
    expect(() => checkTree(agent(), models, never, free)).toThrow(/runs of u would take none/);
    checkTree(agent(), models, never, { ...free, snapshotEvery: 5 });
    for (const kind of ['human', 'external', 'replay'] as const)
      expect(() => checkTree(agent(), [{ ...models[0]!, kind }], tasks, free)).toThrow(/m plays one line/);
  });

  it('has a temperature above 0 where nodes begin alike', () => {
    const config = modelConfigSchema.parse({
      ...{ schema: 1, description: 'd', provider: 'openai', model: 'p', apiKeyVariable: 'KEY', contextWindow: 100_000 },
      ...{ maxOutputTokens: 4000, sampling: { temperature: 0 }, accepts: ['temperature'], prices: [] },
    });
    const paid: ModelRef[] = [{ name: 'paid', kind: 'real', provider: 'openai', model: 'p', config }];
    expect(() => checkTree(agent(), paid, tasks, free)).toThrow(/at temperature 0 paid answers equal prompts alike/);
    checkTree(agent(), paid, tasks, { ...free, temperature: 0.7 });
    checkTree(agent({ search: searchSchema.parse({ policy: 'linear' }) }), paid, tasks, free);
    checkTree(agent({}), paid, tasks, free);
    const reasoning: ModelRef[] = [{ ...paid[0]!, config: { ...config, accepts: [] } }];
    checkTree(agent(), reasoning, tasks, free);
  });

  it('has limits of which each node’s part pays for one answer at least', () => {
    const config = modelConfigSchema.parse({
      ...{ schema: 1, description: 'd', provider: 'openai', model: 'p', apiKeyVariable: 'KEY', contextWindow: 100_000 },
      ...{
        maxOutputTokens: 4000,
        sampling: { maxOutputTokens: 1000 },
        prices: [{ from: '2024-01-01', input: 1, output: 10 }],
      },
    });
    const paid: ModelRef[] = [{ name: 'paid', kind: 'real', provider: 'openai', model: 'p', config }];
    const check = (limits: object, more: object = {}): void =>
      checkTree(agent({ search: { ...search, ...more } }), paid, tasks, { ...free, ...limits });
    check({ costLimit: '0.1', tokenLimit: 10_000 });
    expect(() => check({ costLimit: '0.09' })).toThrow(
      /its 10 nodes share \$0\.09, and \$0\.009 of that .* of paid, for which \$0\.01/,
    );
    expect(() => check({ tokenLimit: 9_999 })).toThrow(
      /share 9999 tokens, and 999 of that .* for which 1000 is reserved/,
    );
    expect(() => check({ tokenLimit: 5 })).toThrow(/its 10 nodes share 5 tokens, and 0 of that/);
    check({ costLimit: '0.09' }, { validations: 9 });
    check({ costLimit: '0.09', maxOutputTokens: 900 });
  });

  it('is not forked itself: its nodes are', () => {
    refuseForkOfTree(plain);
    expect(() => refuseForkOfTree({ ...plain, agent: { ...plain.agent, search } })).toThrow(/played a tree of forks/);
  });
});
