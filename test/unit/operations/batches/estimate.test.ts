import { describe, expect, it } from 'vitest';
import { findAssetsRoot } from '../../../../operations/settings.js';
import { searchSchema } from '../../../../domain/tree/spec.js';
import { estimateBatch } from '../../../../operations/batches/estimate.js';
import { loadedGroup } from '../../../fakes/loaded-group.js';
import { planRuns } from '../../../../operations/batches/plan-runs.js';
import { ORDER_RULES } from '../../../../domain/statistics/settle-order.js';
import type { RunDefinition } from '../../../../domain/run/run.js';
import { loadAgent, loadTask, resolveModels } from '../../../../catalog/index.js';

const configsDir = `${findAssetsRoot()}/configs`;
const NOW = new Date('2026-01-31T12:00:00Z');
const UNBOUNDED = { concurrency: 8, budgetUsd: null };

const planned = (models: string[], over: Partial<RunDefinition> = {}): RunDefinition[] =>
  planRuns(
    loadedGroup(
      {
        models: resolveModels([configsDir], models),
        tasks: [loadTask([configsDir], 'battleOfSexes')],
        agent: loadAgent([configsDir], 'default'),
      },
      { attempts: 3, maxSteps: 7 },
    ),
    { batchId: 'b-01m7xxn9kynbm30nmc5y6eddq6', seed: 42, backend: 'local' },
  ).map((run) => ({ ...run, ...over }));

/** A model whose dearest call costs 2 dollars: 1,000,000 tokens in, 500,000 out. */
const priced = (over: Partial<RunDefinition> = {}): RunDefinition[] =>
  planned(['gpt-4o'], over).map((run) => ({
    ...run,
    sampling: { ...run.sampling, maxOutputTokens: 500_000 },
    model: {
      ...run.model,
      config: {
        ...run.model.config!,
        contextWindow: 1_000_000,
        maxOutputTokens: 500_000,
        prices: [{ from: '2024-01-01', input: '1', output: '2' }],
      },
    },
  }));

describe('what a batch may cost at most', () => {
  it('is a full context and all replies in every step of every run', () => {
    expect(estimateBatch(priced(), UNBOUNDED, NOW)).toMatchObject({ runs: 3, maxCostUsd: String(2 * 3 * 7 * 3) });
  });

  it('counts all attempts that `attempts: auto` may give out, at tasks with a target', () => {
    const allocation = { ...ORDER_RULES, looks: 0, pairs: 0, settled: 0, state: 'playing' as const, detail: '' };
    const most = (target: boolean) =>
      estimateBatch(
        priced().map((run) => ({
          ...run,
          task: { ...run.task, ...(target ? { target: { value: 1 } } : { target: undefined }) },
        })) as RunDefinition[],
        { ...UNBOUNDED, allocation },
        NOW,
      ).maxCostUsd;
    // Two attempts become at most sixteen.
    expect([most(false), most(true)]).toEqual([String(2 * 3 * 7 * 3), String(8 * 2 * 3 * 7 * 3)]);
  });

  it('is no more than the limits of its runs come to', () => {
    expect(estimateBatch(priced({ costLimitUsd: '0.25' }), UNBOUNDED, NOW).maxCostUsd).toBe('0.75');
  });

  it('is no more than its budget', () => {
    expect(estimateBatch(priced(), { ...UNBOUNDED, budgetUsd: '5.5' }, NOW).maxCostUsd).toBe('5.5');
  });

  it('is nothing for scripted models', () => {
    expect(estimateBatch(planned(['scripted:baseline']), UNBOUNDED, NOW).maxCostUsd).toBe('0');
  });

  it('is not known where a model has no price, and that model is named', () => {
    const runs = priced().map((run) => ({
      ...run,
      model: { ...run.model, config: { ...run.model.config!, prices: [] } },
    }));
    expect(estimateBatch(runs, UNBOUNDED, NOW)).toMatchObject({ maxCostUsd: null, unpricedModels: ['gpt-4o'] });
  });
});

describe('what a batch needs', () => {
  it('counts the GPUs and the memory of those that run at once, the largest first', () => {
    const runs = planned(['scripted:baseline']).map((run, i) => ({ ...run, gpus: [1, 4, 2][i] ?? 0 }));
    const memory = runs[0]?.task.limits.memoryMb ?? 0;
    expect(estimateBatch(runs, { concurrency: 2, budgetUsd: null }, NOW)).toMatchObject({
      gpus: { min: 1, max: 4 },
      peakGpus: 6,
      peakMemoryMb: 2 * memory,
    });
  });

  it('counts a tree of forks by all its nodes: their steps, and those that are played at once', () => {
    const search = { policy: 'greedy', nodes: 10, nodeSteps: 6, parallel: 4 } as const;
    const agent = loadAgent([configsDir], 'search-greedy');
    const config = { ...agent.config, search: searchSchema.parse(search) };
    const group = loadedGroup(
      {
        models: resolveModels([configsDir], ['scripted:climber']),
        tasks: [loadTask([configsDir], 'battleOfSexes')],
        agent: { ...agent, config },
      },
      { attempts: 3 },
    );
    const runs = planRuns(group, { batchId: 'b-01m7xxn9kynbm30nmc5y6eddq6', seed: 42, backend: 'local' });
    expect(runs.map(({ maxSteps }) => maxSteps)).toEqual([60, 60, 60]);
    const { peakMemoryMb } = estimateBatch(runs, { concurrency: 2, budgetUsd: null }, NOW);
    expect(peakMemoryMb).toBe(2 * 4 * runs[0]!.task.limits.memoryMb);
  });
});
