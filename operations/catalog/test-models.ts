import { listModels, missingKeys, missingKeysError, resolveModels } from '../../catalog/index.js';
import { BenchError } from '../../domain/errors.js';
import type { ModelRef } from '../../domain/model/model.js';
import type { ModelPort } from '../../domain/ports/model-port.js';
import { ProviderError } from '../../domain/model/provider-error.js';
import type { ModelTest } from '../../domain/views/catalog.js';
import type { Notice } from '../notices.js';
import type { BenchSettings } from '../settings.js';

/** Enough for a model that reasons before its first word. */
const MOST_OUTPUT_TOKENS = 1024;
const LONGEST_SECONDS = 60;

async function testModel(port: ModelPort, model: ModelRef, interrupt: AbortSignal): Promise<ModelTest> {
  const { config } = model;
  const brief =
    config === undefined
      ? model
      : {
          ...model,
          config: { ...config, requestTimeoutSeconds: Math.min(config.requestTimeoutSeconds, LONGEST_SECONDS) },
        };
  const started = performance.now();
  const result = (change: Partial<ModelTest>): ModelTest => ({
    ...{ model: model.name, endpoint: port.endpoint?.(model) ?? null, ok: false },
    ...{ ms: Math.round(performance.now() - started), costUsd: '0', errorType: null, error: null, ...change },
  });
  try {
    const reply = await port.complete(
      {
        ...{ model: brief, messages: [{ role: 'user', content: 'Reply with the word OK.' }], seed: 1 },
        sampling: { maxOutputTokens: Math.min(MOST_OUTPUT_TOKENS, config?.maxOutputTokens ?? MOST_OUTPUT_TOKENS) },
      },
      interrupt,
    );
    return result({ ok: true, costUsd: reply.costUsd });
  } catch (error) {
    if (error instanceof ProviderError) return result({ errorType: error.kind, error: error.message });
    if (error instanceof BenchError) return result({ errorType: 'config', error: error.message });
    throw error;
  }
}

export interface TestModelsPorts {
  settings: Pick<BenchSettings, 'configFolders' | 'env' | 'layout'>;
  notify: (notice: Notice) => void;
}

/** Makes one tiny call per model: those named, else all whose keys are set. */
export async function testModels(
  ports: TestModelsPorts,
  names: readonly string[],
  signal: AbortSignal,
): Promise<ModelTest[]> {
  const { settings } = ports;
  const chosen = modelsToTest(ports, names);
  if (chosen.length === 0)
    throw new BenchError('usage', 'no model can be tested: no key is set', {
      code: 'model.key_missing',
      remedy: `Put keys into .env in the working directory or into ${settings.layout.envFile}; \`bench models\` says which.`,
    });
  const { createProviderModels } = await import('../../models/provider-models.js');
  const adapters = new Map<string, ModelPort>(createProviderModels(settings.env));
  return Promise.all(
    chosen.map((model) => {
      const port = adapters.get(model.provider);
      if (port === undefined) throw new Error(`no adapter serves the provider ${model.provider}`);
      // A signal of its own: Node warns of many listeners at one.
      return testModel(port, model, AbortSignal.any([signal]));
    }),
  );
}

function modelsToTest({ settings, notify }: TestModelsPorts, names: readonly string[]): ModelRef[] {
  if (names.length > 0) {
    const named = resolveModels(settings.configFolders, names, { allowUnpriced: true });
    const other = named.find(({ config }) => config === undefined);
    if (other !== undefined)
      throw new BenchError('usage', `${other.name} calls no provider, so there is nothing to test`, {
        code: 'model.unsuitable',
        remedy: '`bench models` lists models that do.',
      });
    const missing = missingKeys(named, settings.env);
    if (missing.length > 0) throw missingKeysError(missing, settings.layout.envFile);
    return named;
  }
  const { models, broken } = listModels(settings.configFolders, new Date());
  for (const file of broken) notify({ code: 'config.broken', file });
  const real = models.filter(({ kind }) => kind === 'real');
  const all = resolveModels(
    settings.configFolders,
    real.map(({ name }) => name),
    { allowUnpriced: true },
  );
  const missing = missingKeys(all, settings.env);
  const without = new Set(missing.flatMap(({ models }) => models));
  for (const { variable, models } of missing) notify({ code: 'model.untested', variable, models });
  return all.filter(({ name }) => !without.has(name));
}
