import { expect, it } from 'vitest';
import { bodyOf, mostBodyBytes } from '../../../../domain/gateway/body-text.js';
import { atOnce } from '../../../../domain/gateway/slices.js';

const body = (text: string) => atOnce(bodyOf(Buffer.from(text)));

it('a body is a JSON object', () => {
  expect(body('{"a":["}",{"b":"\\"]"}]}')).toEqual({ a: ['}', { b: '"]' }] });
  for (const text of ['', '[]', '1', 'null', '{"a":', '{"a":1}}', '\0']) expect(body(text)).toBeTypeOf('string');
});

it.each([
  ['lists', '['.repeat(5_000_000)],
  ['objects', '{"a":'.repeat(1_000_000)],
  ['closed lists', `{"a":${'['.repeat(200_000)}${']'.repeat(200_000)}}`],
])('%s that are nested without end are refused before they are parsed', (_what, text) => {
  expect(body(text)).toContain('nested');
});

it('more values than a conversation has are refused, in whatever text they stand', () => {
  expect(body(`{"a":[${'0,'.repeat(300_000)}0]}`)).toContain('values');
  const quoted = '[{,'.repeat(300_000);
  expect(body(JSON.stringify({ a: quoted }))).toEqual({ a: quoted });
});

it('the bound of a body grows with the context window, up to what is read without a stall', () => {
  expect(mostBodyBytes(100_000)).toBeLessThan(mostBodyBytes(200_000));
  expect(mostBodyBytes(100_000_000)).toBe(16 * 1024 * 1024);
});
