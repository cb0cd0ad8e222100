import { expect, it } from 'vitest';
import { BenchError } from '../../../../domain/errors.js';
import type { ModelRef } from '../../../../domain/model/model.js';
import { chooseBackend, type EnginePorts, withImages } from '../../../../operations/batches/choose-backend.js';

const SCRIPTED: ModelRef = { name: 'scripted:optimum', kind: 'scripted', provider: 'scripted', model: 'optimum' };
const REAL: ModelRef = { name: 'gpt-4o', kind: 'real', provider: 'openai', model: 'gpt-4o' };
const FAILED = new Map([
  ['docker', new BenchError('services', 'no image', { code: 'engine.unavailable', remedy: 'Free space' })] as const,
  ['podman', new Error('no podman')] as const,
]);

function portsWith() {
  const notices: string[] = [];
  const ports: EnginePorts = {
    settings: { assetsRoot: '/nowhere', cacheDir: '/nowhere', env: {} },
    notify: (notice) =>
      notices.push(notice.code === 'backend.no_engine' ? `${notice.code}: ${notice.reason}` : notice.code),
  };
  return { ports, notices };
}

it('scripted models play on the local backend if every engine has failed', async () => {
  const { ports, notices } = portsWith();
  expect(await chooseBackend(ports, null, [SCRIPTED], FAILED)).toBe('local');
  expect(notices).toEqual(['backend.no_engine: no image; no podman', 'backend.local']);
});

it('a real model without an engine is refused, with the reasons of all engines and the first remedy', async () => {
  const { ports, notices } = portsWith();
  await expect(chooseBackend(ports, null, [SCRIPTED, REAL], FAILED)).rejects.toMatchObject({
    message: 'no containers for gpt-4o: no image; no podman',
    remedy: 'Free space. Or run the model on the local backend, without isolation.',
    code: 'engine.unavailable',
  });
  expect(notices).toEqual([]);
});

it('the local backend needs no images, and is reported once', async () => {
  const { ports, notices } = portsWith();
  const models = [REAL];
  const chosen = await chooseBackend(ports, 'local', models);
  expect(await withImages(ports, { chosen, requested: 'local', models }, new AbortController().signal)).toBe('local');
  expect(notices).toEqual(['backend.local']);
});
