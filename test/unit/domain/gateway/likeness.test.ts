import { expect, it } from 'vitest';
import type { Json } from '../../../../domain/gateway/json.js';
import { likeness as likenessOf, withoutMoment } from '../../../../domain/gateway/likeness.js';
import { joinRequest, partsOf, splitRequest as splitting } from '../../../../domain/gateway/request-parts.js';
import { atOnce } from '../../../../domain/gateway/slices.js';
import type { Wire } from '../../../../domain/gateway/wire.js';
import { wireOf } from '../../../../domain/gateway/wires.js';

const likeness = (wire: Wire, body: Json): string => atOnce(likenessOf(wire, body));
const splitRequest = (body: Json) => atOnce(splitting(body));
const chat = wireOf('openai-chat');
const asking = (content: string, tools: string[] = ['bash']) => ({
  messages: [{ role: 'user', content }],
  tools: tools.map((name) => ({ type: 'function', function: { name } })),
});
const alike = (one: string, other: string): boolean => likeness(chat, asking(one)) === likeness(chat, asking(other));

it.each([
  ["Today's date is 2026-11-25.", "Today's date is 2027-01-02."],
  ['Wall time: 0.0521 seconds', 'Wall time: 12 seconds'],
  ['session 4b0d6b1e-6f5c-4d7e-9a51-1f6d2b0c7a11', 'session 00000000-6f5c-4d7e-9a51-aaaaaaaaaaaa'],
  ['Chunk ID: a1b2c3', 'Chunk ID: 9f8e7d'],
  ['-rw-r--r-- 1 agent agent 12 Nov 25 17:38 a.py', '-rw-r--r-- 1 agent agent 12 Dec  1 09:01 a.py'],
  ['Wed Nov 25 17:38:41 UTC 2026', 'Thu Nov 26 00:00:01 UTC 2026'],
  ['wrote /tmp/tmp8x1.py', 'wrote /tmp/tmpzz.py'],
  ['at 1795574797', 'at 1795574801.25'],
])('%s is like %s', (one, other) => {
  expect(withoutMoment(one)).not.toBe(one);
  expect(alike(one, other)).toBe(true);
});

it.each([
  ['Score: 1.4423312', 'Score: 1.4423313'],
  ['accuracy 0.17 after 3 epochs', 'accuracy 0.17 after 4 epochs'],
  ['a.py', 'b.py'],
  ['size 1234567', 'size 7654321'],
])('%s is unlike %s', (one, other) => expect(alike(one, other)).toBe(false));

it('tools, wire and the calls of earlier answers count, ids of calls do not', () => {
  expect(likeness(chat, asking('a', ['bash']))).not.toBe(likeness(chat, asking('a', ['bash', 'edit'])));
  const after = (id: string, command: string) => ({
    messages: [
      { role: 'assistant', tool_calls: [{ id, function: { name: 'bash', arguments: command } }] },
      { role: 'tool', tool_call_id: id, content: 'done' },
    ],
  });
  expect(likeness(chat, after('1', 'ls'))).toBe(likeness(chat, after('2', 'ls')));
  expect(likeness(chat, after('1', 'ls'))).not.toBe(likeness(chat, after('1', 'cat')));
  const input = { input: 'a' };
  expect(likeness(wireOf('openai-responses'), input)).not.toBe(likeness(chat, input));
});

it('a request is split into parts and joined again, and lacks what is missing', () => {
  const long = { role: 'user', content: 'x'.repeat(300) };
  const body = {
    model: 'm',
    messages: [long, { role: 'user', content: 'short' }],
    instructions: 'y'.repeat(300),
    n: 1,
  };
  const split = splitRequest(body);
  expect(JSON.stringify(split.request).length).toBeLessThan(300);
  expect(partsOf(split.request)).toHaveLength(2);
  expect(joinRequest(split)).toEqual(body);
  expect(joinRequest({ ...split, parts: new Map() })).toBeNull();
  // What a program writes like a reference stays what it wrote.
  const odd = { messages: [{ $part: 'no-such-hash' }] };
  expect(joinRequest(splitRequest(odd))).toEqual(odd);
});

it.each([
  ['hexadecimal without a break', '0123456789abcdef'.repeat(375_000)],
  ['letters without a break', 'a'.repeat(6_000_000)],
  ['digits without a break', '1'.repeat(6_000_000)],
  ['spaces after a month', `Jan${' '.repeat(6_000_000)}`],
  ['a name in /tmp without an end', `/tmp/${'a.'.repeat(3_000_000)}`],
])('six megabytes of %s are read', (_what, text) => {
  expect(likeness(chat, asking(text))).toMatch(/^[0-9a-f]{64}$/);
});

it('moments are found wherever a long text is cut', () => {
  const lines = (date: string): string => `written on ${date} by the agent\n`.repeat(2000);
  expect(withoutMoment(lines('2026-11-25'))).toBe(lines('~'));
  const words = (date: string): string => `${date} `.repeat(5000);
  expect(withoutMoment(words('2026-11-25'))).toBe(words('~'));
});
