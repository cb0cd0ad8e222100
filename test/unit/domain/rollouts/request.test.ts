import { describe, expect, test } from 'vitest';
import { inlineModel, rolloutSchema } from '../../../../domain/requests/rollout.js';

const model = { base_url: 'http://127.0.0.1:8000/v1', model: 'policy' };

describe('a request for rollouts', () => {
  test.each([
    ['an address with credentials', { ...model, base_url: 'http://me:pw@host/v1' }, 'model.base_url'],
    ["another variable of the server's", { ...model, api_key: '$OPENAI_API_KEY' }, 'model.api_key'],
    ['a key of two lines', { ...model, api_key: 'a\nb' }, 'model.api_key'],
    ['a header that is none', { ...model, headers: { 'a b': 'x' } }, 'model.headers.a b'],
    ['what bench sets itself', { ...model, sampling: { n: 2 } }, 'model.sampling.n'],
    ['an unknown key', { ...model, url: 'x' }, 'model'],
  ])('with %s is refused, and the key is named', (_what, wrong, path) => {
    const { error } = rolloutSchema.safeParse({ task: 't', model: wrong });
    expect(error?.issues.map((issue) => issue.path.join('.'))).toEqual([path]);
    expect(JSON.stringify(error?.issues)).not.toContain('pw@');
  });

  test('makes a model without a price and without a secret', () => {
    const asked = {
      ...model,
      api_key: 'sk-canary',
      headers: { 'X-Key': 'canary' },
      sampling: { temperature: 0.8, top_k: 20, max_tokens: 64 },
    };
    const config = inlineModel(rolloutSchema.parse({ task: 't', model: asked }).model);
    expect(config).toMatchObject({
      baseUrl: model.base_url,
      maxOutputTokens: 64,
      sampling: { temperature: 0.8 },
      extraBody: { top_k: 20 },
    });
    expect(config.prices).toMatchObject([{ input: '0', output: '0' }]);
    expect(JSON.stringify(config)).not.toContain('canary');
    const named = inlineModel(
      rolloutSchema.parse({ task: 't', model: { ...model, api_key: '$BENCH_ROLLOUT_A_API_KEY' } }).model,
    );
    expect(named.apiKeyVariable).toBe('BENCH_ROLLOUT_A_API_KEY');
  });
});
