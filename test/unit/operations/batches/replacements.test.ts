import { describe, expect, it } from 'vitest';
import { findAssetsRoot } from '../../../../operations/settings.js';
import { loadedGroup } from '../../../fakes/loaded-group.js';
import { planRuns } from '../../../../operations/batches/plan-runs.js';
import { continued, repeated } from '../../../../operations/batches/replacements.js';
import { loadAgent, loadTask, resolveModels } from '../../../../catalog/index.js';

const configsDir = `${findAssetsRoot()}/configs`;
const [run] = planRuns(
  loadedGroup(
    {
      models: resolveModels([configsDir], ['scripted:baseline']),
      tasks: [loadTask([configsDir], 'battleOfSexes')],
      agent: loadAgent([configsDir], 'default'),
    },
    { attempts: 1, maxSteps: 7 },
  ),
  { batchId: 'b-01m7xxn9kynbm30nmc5y6eddq6', seed: 42, backend: 'local' },
).map((planned) => ({ ...planned, costLimitUsd: '2', tokenLimit: 1000 }));

describe('a run that is repeated', () => {
  it('is the same run under a new id, and names the one it replaces', () => {
    const { runId, ...again } = repeated(run!);
    expect(again).toEqual({ ...run, runId: undefined, replaces: run!.runId });
    expect(runId).not.toBe(run!.runId);
  });
});

describe('a run that is continued', () => {
  it('begins with what was done, and has what is left of its limits', () => {
    expect(continued(run!, { lastStep: 3, confirmedUsd: '0.75', tokens: 400 })).toMatchObject({
      forkedFrom: { runId: run!.runId, step: 3 },
      replaces: run!.runId,
      attempt: run!.attempt,
      seed: run!.seed,
      costLimitUsd: '1.25',
      tokenLimit: 600,
    });
  });

  it('has the least that is not nothing where its limits are spent: zero would be no limit', () => {
    const next = continued(run!, { lastStep: 3, confirmedUsd: '2.5', tokens: 1200 });
    expect(next.tokenLimit).toBe(1);
    expect(Number(next.costLimitUsd)).toBeGreaterThan(0);
    expect(Number(next.costLimitUsd)).toBeLessThan(1e-6);
  });

  it('begins anew if it had done nothing', () => {
    const next = continued(run!, { lastStep: 0, confirmedUsd: '0', tokens: 0 });
    expect(next).toMatchObject({ replaces: run!.runId, costLimitUsd: '2' });
    expect(next.forkedFrom).toBeUndefined();
  });

  it('begins anew with what is left if it spent without coming to the end of a step', () => {
    const next = continued(run!, { lastStep: 0, confirmedUsd: '0.5', tokens: 100 });
    expect(next).toMatchObject({ replaces: run!.runId, costLimitUsd: '1.5', tokenLimit: 900 });
    expect(next.forkedFrom).toBeUndefined();
  });

  it('stays without limits if it had none', () => {
    const unlimited = { ...run!, costLimitUsd: null, tokenLimit: 0 };
    expect(continued(unlimited, { lastStep: 1, confirmedUsd: '5', tokens: 9 })).toMatchObject({
      costLimitUsd: null,
      tokenLimit: 0,
    });
  });
});
