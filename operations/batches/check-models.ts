import { BenchError } from '../../domain/errors.js';
import type { ModelRef, SamplingParameters } from '../../domain/model.js';
import { addressProblem } from '../../domain/model-config.js';
import { samplingProblem } from '../../domain/sampling.js';
import { missingKeys, missingKeysError } from '../../catalog/index.js';
import type { Bench } from '../bench.js';

/**
 * Before anything is started: every model takes the parameters asked for, its address holds no credentials, and the worker has the keys. A worker that runs
 * elsewhere has an environment that cannot be seen from here: then it is only said what it needs.
 */
export function checkModels(
  bench: Bench,
  models: readonly ModelRef[],
  sampling: SamplingParameters,
  { needKeys }: { needKeys: boolean },
): void {
  const { settings } = bench;
  for (const { name, config } of models) {
    const problem = config === undefined ? null : samplingProblem(config, sampling);
    if (problem !== null)
      throw new BenchError('usage', `model ${name} ${problem}`, {
        code: 'model.sampling_unsupported',
        remedy:
          'Leave the option away (each model then has its own default), or submit this model in a batch of its own.',
      });
  }
  for (const { name, config } of models) {
    const variable = config?.baseUrlVariable;
    const address = variable === undefined ? '' : (settings.env[variable] ?? '').trim();
    const problem = address === '' ? null : addressProblem(address);
    if (problem !== null)
      throw new BenchError('usage', `${variable}, the address of model ${name}, ${problem}`, {
        code: 'model.address_invalid',
        remedy: 'Correct it where it is set. Nothing was started.',
      });
  }
  const missing = missingKeys(models, settings.env);
  if (missing.length === 0) return;
  const error = missingKeysError(missing, settings.layout.envFile);
  if (needKeys && settings.worker === 'embedded') throw error;
  bench.notify({
    code: 'model.keys_missing',
    where: settings.worker === 'external' ? 'workers' : 'here',
    message: error.message,
    variables: missing.length,
  });
}
