import { describe, expect, it } from 'vitest';
import type { ModelRef } from '../../../domain/model/model.js';
import { providerAccess } from '../../../models/provider-access.js';

const model = {
  ...{ name: 'gpt', kind: 'real', provider: 'openai', model: 'gpt' },
  config: { provider: 'openai', model: 'gpt', apiKeyVariable: 'OPENAI_API_KEY' },
} as unknown as ModelRef;
const accessWith = (key: string): unknown => providerAccess({ OPENAI_API_KEY: key }).of(model);

describe('a key', () => {
  it.each([
    ['“sk-abc”', 'has “ (U+201C) as character 1'],
    ['sk-abc’', 'has ’ (U+2019) as character 7'],
    ['sk-a\nbc', 'has a line break (U+000A) as character 5'],
    ['sk-a\u0000bc', 'has a control character (U+0000) as character 5'],
    ['sk-🔑', 'has 🔑 (U+1F511) as character 4'],
  ])('that no header can hold names its variable and the character: %j', (key, what) => {
    expect(() => accessWith(key)).toThrow(`OPENAI_API_KEY, for model gpt, ${what}, which no HTTP header can hold`);
    expect(() => accessWith(key)).toThrow(expect.objectContaining({ type: 'usage', code: 'setting.invalid' }));
    // Nothing else of it.
    expect(() => accessWith(key)).not.toThrow(/sk-a/);
  });

  it.each(['sk-abc', ' sk-abc\n', 'a b', 'é'])('that a header can hold is taken: %j', (key) => {
    expect(accessWith(key)).toMatchObject({ apiKey: key.trim() });
  });
});
