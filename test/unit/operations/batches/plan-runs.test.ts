import { describe, expect, it } from 'vitest';
import { findAssetsRoot } from '../../../../operations/settings.js';
import { loadedGroup } from '../../../fakes/loaded-group.js';
import { planRuns } from '../../../../operations/batches/plan-runs.js';
import { isRunId } from '../../../../domain/ids.js';
import { loadAgent, loadTask, resolveModels } from '../../../../catalog/index.js';

const configsDir = `${findAssetsRoot()}/configs`;

describe('the matrix of a batch', () => {
  const runs = planRuns(
    loadedGroup(
      {
        models: resolveModels([configsDir], ['scripted:baseline', 'scripted:clumsy']),
        tasks: [loadTask([configsDir], 'battleOfSexes')],
        agent: loadAgent([configsDir], 'default'),
      },
      { attempts: 2, maxSteps: 7 },
    ),
    { batchId: 'b-01m7xxn9kynbm30nmc5y6eddq6', seed: 42, backend: 'local' },
  );

  it('has a run per model, task and attempt; the first attempts come first', () => {
    expect(runs.map((run) => [run.model.name, run.attempt])).toEqual([
      ['scripted:baseline', 1],
      ['scripted:clumsy', 1],
      ['scripted:baseline', 2],
      ['scripted:clumsy', 2],
    ]);
    expect(new Set(runs.map((run) => run.runId)).size).toBe(4);
    expect(runs.every((run) => isRunId(run.runId))).toBe(true);
  });

  it('gives each attempt its seed, the same for all models', () => {
    expect(runs.map((run) => run.seed)).toEqual([43, 43, 44, 44]);
  });

  it('takes what each run was submitted with along', () => {
    expect(runs[0]).toMatchObject({ agentName: 'default', maxSteps: 7, backend: 'local', gpus: 0 });
    expect(runs[0]?.taskHash).toMatch(/^[0-9a-f]{64}$/);
  });
});
