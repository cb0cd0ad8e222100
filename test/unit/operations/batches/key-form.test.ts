import { describe, expect, it } from 'vitest';
import type { ModelRef } from '../../../../domain/model/model.js';
import { checkModels } from '../../../../operations/batches/check-models.js';

const model = {
  ...{ name: 'gpt', kind: 'real', provider: 'openai', model: 'gpt' },
  config: { provider: 'openai', model: 'gpt', apiKeyVariable: 'OPENAI_API_KEY', accepts: [] },
} as unknown as ModelRef;

/** What a submission with this key comes to. */
const submitted = (key: string, worker: 'embedded' | 'external' = 'embedded'): void => {
  const settings = { env: { OPENAI_API_KEY: key }, layout: { envFile: '/home/me/.bench/.env' }, worker };
  checkModels({ settings: settings as never, notify: () => undefined }, [model], {}, { needKeys: true });
};

describe('a key that no HTTP header can hold', () => {
  it('is refused before anything starts, without quoting it', () => {
    const said = 'OPENAI_API_KEY, the key of model gpt, has “ (U+201C) as character 1, which no HTTP header can hold';
    expect(() => submitted('“sk-abc”')).toThrow(said);
    expect(() => submitted('“sk-abc”')).toThrow(expect.objectContaining({ code: 'setting.invalid' }));
    expect(() => submitted('“sk-abc”')).not.toThrow(/sk-abc/);
  });
  it('is for the workers to judge where they have an environment of their own', () => {
    expect(() => submitted('“sk-abc”', 'external')).not.toThrow();
    expect(() => submitted(' sk-abc\n')).not.toThrow();
  });
});
