import { listModels as modelsOf, missingKeys, type ListedModel } from '../../catalog/index.js';
import type { BenchSettings } from '../settings.js';

/** `keySet`: whether the variable that holds its key is set here; null: it needs none. */
export type ModelWithKey = ListedModel & { keyVariable: string | null; keySet: boolean | null };

/** The models that can be named: those of configs/models, and the scripted ones. */
export function listModels({ settings }: { settings: BenchSettings }): ModelWithKey[] {
  const models = modelsOf(settings.configsDir, new Date());
  const missing = new Set(
    missingKeys(
      models.flatMap(({ name, kind, provider, config }) =>
        config === null ? [] : [{ name, kind, provider, model: config.model, config }],
      ),
      settings.env,
    ).map(({ variable }) => variable),
  );
  return models.map((model) => {
    const keyVariable = model.config?.apiKeyVariable ?? null;
    return { ...model, keyVariable, keySet: keyVariable === null ? null : !missing.has(keyVariable) };
  });
}
