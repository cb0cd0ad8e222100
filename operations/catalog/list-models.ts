import { listModels as modelsOf, missingKeys, type ListedModel } from '../../catalog/index.js';
import type { ConfigPlace, ValidatedFile } from '../../domain/views/catalog.js';
import type { Notice } from '../notices.js';
import type { BenchSettings } from '../settings.js';
import { configPlace, type PlaceSettings } from './config-place.js';

/** `keySet`: whether the variable for its key is set here; null: it needs none. */
export type ModelWithKey = Omit<ListedModel, 'entry'> &
  ConfigPlace & { keyVariable: string | null; keySet: boolean | null };

/** Models with a file and the scripted ones. Broken files are reported as notices too. */
export function listModels({
  settings,
  notify,
}: {
  settings: PlaceSettings & Pick<BenchSettings, 'env'>;
  notify: (notice: Notice) => void;
}): {
  models: ModelWithKey[];
  broken: ValidatedFile[];
} {
  const { models, broken } = modelsOf(settings.configFolders, new Date());
  for (const file of broken) notify({ code: 'config.broken', file });
  const missing = new Set(
    missingKeys(
      models.flatMap(({ name, kind, provider, config }) =>
        config === null ? [] : [{ name, kind, provider, model: config.model, config }],
      ),
      settings.env,
    ).map(({ variable }) => variable),
  );
  return {
    models: models.map(({ entry, ...model }) => {
      const keyVariable = model.config?.apiKeyVariable ?? null;
      const keySet = keyVariable === null ? null : !missing.has(keyVariable);
      return { ...model, ...configPlace(settings, entry), keyVariable, keySet };
    }),
    broken,
  };
}
