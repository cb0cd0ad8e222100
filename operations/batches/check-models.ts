import { BenchError } from '../../domain/errors.js';
import { fallbackOf, type ModelRef, type SamplingParameters } from '../../domain/model/model.js';
import { addressProblem } from '../../domain/model/config.js';
import { headerProblem } from '../../domain/model/config.js';
import { samplingProblem } from '../../domain/model/sampling.js';
import { missingKeys, missingKeysError } from '../../catalog/index.js';
import type { Notice } from '../notices.js';
import type { BenchSettings } from '../settings.js';

export interface CheckModelsPorts {
  settings: Pick<BenchSettings, 'env' | 'layout' | 'worker'>;
  notify: (notice: Notice) => void;
}

/**
 * Checks that every model accepts the requested parameters, that no address contains credentials,
 * and that the worker has the keys, in a form that a request can hold. The environment of an
 * external worker is unknown, so missing keys are only reported.
 */
export function checkModels(
  { settings, notify }: CheckModelsPorts,
  asked: readonly ModelRef[],
  sampling: SamplingParameters,
  { needKeys }: { needKeys: boolean },
): void {
  const models = asked.flatMap((model) => [model, ...[fallbackOf(model)].filter((one) => one !== null)]);
  for (const { name, config } of asked) {
    const problem = config === undefined ? null : samplingProblem(config, sampling);
    if (problem !== null)
      throw new BenchError('usage', `model ${name} ${problem}`, {
        code: 'model.sampling_unsupported',
        remedy: 'Omit the option (each model then uses its own default), or submit this model in a separate batch.',
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
  if (needKeys && settings.worker === 'embedded') refuseUnsendableKeys(models, settings.env);
  const missing = missingKeys(models, settings.env);
  if (missing.length === 0) return;
  const error = missingKeysError(missing, settings.layout.envFile);
  if (needKeys && settings.worker === 'embedded') throw error;
  notify({
    code: 'model.keys_missing',
    where: settings.worker === 'external' ? 'workers' : 'here',
    message: error.message,
    variables: missing.length,
  });
}

function refuseUnsendableKeys(models: readonly ModelRef[], env: CheckModelsPorts['settings']['env']): void {
  for (const { name, config } of models) {
    const variable = config?.apiKeyVariable;
    const problem = variable === undefined ? null : headerProblem((env[variable] ?? '').trim());
    if (problem !== null)
      throw new BenchError('usage', `${variable}, the key of model ${name}, ${problem}`, {
        code: 'setting.invalid',
        remedy: `Copy the key again, without quotes, on one line, to where ${variable} is set. Nothing was started.`,
      });
  }
}
