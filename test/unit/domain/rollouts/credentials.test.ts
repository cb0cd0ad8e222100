import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { seal, unseal } from '../../../../domain/rollouts/credentials.js';

const secret = randomBytes(32).toString('hex');
const credentials = { apiKey: 'sk-canary', headers: { 'X-Key': 'schlüssel' } };

test('sealed credentials are opened with the same secret alone, and only unchanged', () => {
  const sealed = seal(credentials, secret);
  expect(unseal(sealed, secret)).toEqual(credentials);
  expect(sealed).not.toContain('canary');
  expect(seal(credentials, secret)).not.toBe(sealed);
  expect(() => unseal(sealed, randomBytes(32).toString('hex'))).toThrow();
  const changed = Buffer.from(sealed, 'base64url');
  changed[changed.length - 1]! ^= 1;
  expect(() => unseal(changed.toString('base64url'), secret)).toThrow();
});
