import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ERROR_CODES } from '../../../domain/error-codes.js';
import { BenchError } from '../../../domain/errors.js';
import { errorDocumentSchema } from '../../../domain/views/errors.js';
import { checkoutFiles, read } from '../docs/checkout.js';

const codes = Object.keys(ERROR_CODES);
const ROOMS = [
  'domain',
  'backends',
  'models',
  'temporal',
  'db',
  'catalog',
  'services',
  'operations',
  'worker',
  'cli',
  'envs',
  'web',
];
const sources = ROOMS.flatMap((room) => checkoutFiles(room))
  .filter((file) => file.endsWith('.ts') && file !== 'domain/error-codes.ts')
  .map((file) => readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8'));

/** `code: 'run.not_found'`; of two things that share an error, ``code: `${what}.not_found` ``. */
const isUsed = (code: string): boolean => {
  const shared = `code: \`\${what}.${code.split('.')[1] ?? ''}\``;
  return sources.some((text) => text.includes(`code: '${code}'`) || text.includes(shared));
};

describe('codes of errors', () => {
  it.each(codes)('%s is that of an error', (code) => {
    expect(isUsed(code)).toBe(true);
  });

  it('are in the reference, each with its meaning', () => {
    const page = read('docs/reference/json.md');
    expect(codes.filter((code) => !page.includes(`|\`${code}\`|`))).toEqual([]);
  });

  it('are listed in their order', () => {
    expect(codes).toEqual([...codes].sort());
  });

  it('are the type where an error has none of its own', () => {
    expect(new BenchError('failed', 'it did not work').code).toBe('failed');
    expect(new BenchError('failed', 'no room', { code: 'disk.full' }).code).toBe('disk.full');
  });

  it('are all that a document may have', () => {
    const document = (code: string) => ({ error: { type: 'usage', code, message: 'wrong', remedy: null } });
    expect(errorDocumentSchema.safeParse(document('model.not_found')).success).toBe(true);
    expect(errorDocumentSchema.safeParse(document('model.unheard_of')).success).toBe(false);
  });
});
