import { basename } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findAssetsRoot } from '../../../operations/settings.js';
import { BenchError } from '../../../domain/errors.js';
import { modelConfigSchema } from '../../../domain/model/config.js';
import { samplingFor, samplingProblem } from '../../../domain/model/sampling.js';
import {
  listModels,
  missingKeys,
  missingKeysError,
  modelVariables,
  resolveModels,
  validatePath,
} from '../../../catalog/index.js';
import { listModelConfigs } from '../../../catalog/model-configs.js';
import { folder } from '../catalog/fixtures.js';

const yaml = (more = '', prices = 'prices:\n  - { from: 2025-01-01, input: 2.50, output: 10 }\n'): string =>
  `schema: 1
description: a model
provider: openai
model: gpt-x
apiKeyVariable: OPENAI_API_KEY
contextWindow: 1000
maxOutputTokens: 100
${more}${prices}`;
const shipped = `${findAssetsRoot()}/configs`;

function failure(act: () => unknown): BenchError {
  try {
    act();
  } catch (error) {
    if (error instanceof BenchError) return error;
    throw error;
  }
  throw new Error('expected a BenchError');
}
const problems = (text: string): string =>
  failure(() => resolveModels([folder({ 'models/x.yaml': text })], ['x'])).message;

describe('a model file', () => {
  it('keeps prices as the exact decimals that were written', () => {
    const [model] = listModelConfigs([folder({ 'models/x.yaml': yaml() })]).models;
    expect(model?.config.prices).toEqual([{ from: '2025-01-01', input: '2.5', output: '10' }]);
  });

  it('stays the same when it was stored and is read again', () => {
    const [model] = listModelConfigs([folder({ 'models/x.yaml': yaml() })]).models;
    expect(modelConfigSchema.parse(JSON.parse(JSON.stringify(model?.config)))).toEqual(model?.config);
  });

  it.each(['https://me:hush@lab.example/v1', 'https://hush@lab.example/v1', 'https://lab.example/v1?api_key=hush'])(
    'holds no credentials in its address, and none is shown: %s',
    (address) => {
      const told = problems(yaml(`baseUrl: ${address}\n`));
      expect(told).toMatch(/x\.yaml:8: baseUrl: must .* apiKeyVariable/);
      expect(told).not.toContain('hush');
    },
  );

  it('names line and key of what is wrong in it', () => {
    expect(problems(yaml('contextwindow: 5\n'))).toContain('x.yaml:8: contextwindow: unknown key; did you mean');
    expect(problems(yaml('sampling: { temperature: 1 }\n'))).toContain('add temperature to accepts');
    expect(problems(yaml('', 'prices:\n  - { from: 2025-01-01, input: 0.12345, output: 10 }\n'))).toContain(
      'four decimals',
    );
    expect(problems(yaml('', 'prices:\n  - { from: yesterday, input: 1, output: 1 }\n'))).toContain('must be a date');
    expect(
      problems(
        yaml(
          '',
          'prices:\n  - { from: 2025-01-02, input: 1, output: 1 }\n  - { from: 2025-01-01, input: 1, output: 1 }\n',
        ),
      ),
    ).toContain('later than the one before');
    expect(problems(yaml().replace('provider: openai', 'provider: openai-compatible'))).toContain('needs baseUrl');
    expect(problems(yaml().replace('apiKeyVariable: OPENAI_API_KEY\n', ''))).toContain('needs apiKeyVariable');
  });

  it('may not take a name that another has', () => {
    const dir = folder({ 'models/a.yaml': yaml(), 'models/b.yaml': yaml('aliases: [a]\n') });
    expect(failure(() => resolveModels([dir], ['b'])).message).toMatch(
      /b\.yaml:\d+: aliases\.0: the name a is already taken by/,
    );
    expect(resolveModels([dir], ['a'])).toHaveLength(1);
    expect(validatePath(dir).map(({ file, problems }) => [basename(file), problems.length])).toEqual([
      ['a.yaml', 0],
      ['b.yaml', 1],
    ]);
  });

  it('is checked by validate-config', () => {
    const dir = folder({ 'models/x.yaml': 'schema: 2\n' });
    expect(validatePath(dir)).toEqual([expect.objectContaining({ kind: 'model' })]);
    expect(validatePath(dir)[0]?.problems.length).toBeGreaterThan(0);
  });
});

describe('the models that ship', () => {
  it('are all usable and priced', () => {
    const models = listModels([shipped], new Date()).models.filter((model) => model.kind === 'real');
    expect(models.length).toBeGreaterThan(10);
    for (const model of models) expect(model.price, model.name).not.toBeNull();
  });

  it('resolve by name and by alias, with their configuration', () => {
    const [gpt, claude, scripted] = resolveModels([shipped], ['gpt-4o', 'claude', 'scripted:optimum']);
    expect(gpt).toMatchObject({ name: 'gpt-4o', kind: 'real', provider: 'openai', config: { contextWindow: 128_000 } });
    expect(claude).toMatchObject({ name: 'claude', kind: 'real', provider: 'anthropic' });
    expect(scripted).toEqual({ name: 'scripted:optimum', kind: 'scripted', provider: 'scripted', model: 'optimum' });
  });

  it('are proposed for a misspelt name', () => {
    expect(failure(() => resolveModels([shipped], ['gtp-4o'])).remedy).toContain('Did you mean gpt-4o?');
  });
});

describe('a model without a price', () => {
  const dir = (): string => folder({ 'models/x.yaml': yaml('', '') });
  it('is refused', () => {
    expect(failure(() => resolveModels([dir()], ['x']))).toMatchObject({
      code: 'model.price_missing',
      fields: { allowUnpriced: true },
    });
  });
  it('is taken when that is allowed', () => {
    expect(resolveModels([dir()], ['x'], { allowUnpriced: true })).toHaveLength(1);
  });
});

describe('keys', () => {
  const models = resolveModels([shipped], ['gpt-4o', 'claude', 'gpt-4o-mini', 'vllm', 'scripted:baseline']);
  it('that are missing are named once, with the models that need them', () => {
    expect(missingKeys(models, { OPENAI_API_KEY: ' ' })).toEqual([
      { variable: 'OPENAI_API_KEY', models: ['gpt-4o', 'gpt-4o-mini'] },
      { variable: 'ANTHROPIC_API_KEY', models: ['claude'] },
    ]);
    expect(missingKeys(models, { OPENAI_API_KEY: 'k', ANTHROPIC_API_KEY: 'k' })).toEqual([]);
  });
  it('that are missing are told with the files where they belong', () => {
    const error = missingKeysError(missingKeys(models, { OPENAI_API_KEY: 'k' }), '/home/me/.bench/.env');
    expect(error).toMatchObject({ type: 'usage', exitCode: 2 });
    expect(error.message).toContain('ANTHROPIC_API_KEY (for claude)');
    expect(error.remedy).toMatch(/\.env in the working directory or into \/home\/me\/\.bench\/\.env/);
  });
});

describe('sampling parameters', () => {
  const [gpt, o3, haiku] = resolveModels([shipped], ['gpt-4o', 'o3', 'claude-haiku-4.5']).map((model) => model.config!);
  it('are the model’s own unless asked otherwise', () => {
    expect(samplingFor(gpt!, {})).toEqual({ temperature: 0, topP: 0.95, maxOutputTokens: 4096 });
    expect(samplingFor(gpt!, { temperature: 1, maxOutputTokens: 10 })).toEqual({
      temperature: 1,
      topP: 0.95,
      maxOutputTokens: 10,
    });
    expect(samplingFor(o3!, {})).toEqual({ maxOutputTokens: 32_768 });
    expect(samplingFor(haiku!, { topP: 0.5 })).toEqual({ topP: 0.5, maxOutputTokens: 8192 });
  });
  it('that a model does not take are refused before anything is sent', () => {
    expect(samplingProblem(o3!, { temperature: 1 })).toContain('temperature');
    expect(samplingProblem(haiku!, { temperature: 1, topP: 1 })).toContain('not both');
    expect(samplingProblem(haiku!, { temperature: 1.5 })).toContain('from 0 to 1');
    expect(samplingProblem(gpt!, { maxOutputTokens: 20_000 })).toContain('at most 16384');
    expect(samplingProblem(gpt!, { temperature: 2, topP: 0.1 })).toBeNull();
  });
});

it('the variables that model files name are known however broken the rest of a file is', () => {
  const configs = folder({
    'models/a.yaml': yaml('baseUrlVariable: LAB_ADDRESS\nnonsense: 1\n').replace('OPENAI_API_KEY', 'LAB_ACCESS'),
    'models/b.yml': yaml(),
    'models/c.yaml': '{ not: [yaml',
    'models/d.yaml': '{ apiKeyVariable: "FLOW_KEY", baseUrlVariable: &a FLOW_URL }',
    'models/e.yaml': 'description: |\n  apiKeyVariable: IN_TEXT\napiKeyVariable: LAB_ACCESS # ours\n',
    'models/f.yaml': 'apiKeyVariable: NULL\nbaseUrlVariable: 12\n',
  });
  expect(modelVariables([configs])).toEqual({
    keys: ['FLOW_KEY', 'LAB_ACCESS', 'OPENAI_API_KEY'],
    addresses: ['FLOW_URL', 'LAB_ADDRESS'],
  });
  expect(modelVariables([folder({ 'tasks/x': '' })])).toEqual({ keys: [], addresses: [] });
});
