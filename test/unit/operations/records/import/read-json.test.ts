import { describe, expect, it } from 'vitest';
import { TextCollector } from '../../../../../operations/records/import/clipped-text.js';
import { type Json, readJson } from '../../../../../operations/records/import/read-json.js';

/** The text in pieces of so many characters, so that every token is cut somewhere. */
async function* pieces(text: string, size: number): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size);
}

async function read(text: string, size: number): Promise<Record<string, Json>> {
  const found: Record<string, Json> = {};
  await readJson(pieces(text, size), 'file', {
    lists: ['list'],
    limit: () => ({ head: 1000, tail: 1000 }),
    entry: (list, index, value) => void (found[`${list}[${index}]`] = value),
    value: (key, value) => void (found[key] = value),
  });
  return found;
}

const TEXT = String.raw`{"a": NaN, "b": [-Infinity, 1.5e3, "NaN \" \\"], "list": [{"x": "say \"Infinity\""}, NaN], "c": {"d": null}}`;

describe('readJson', () => {
  it.each([1, 2, 3, 7, 1000])(
    'reads the same in pieces of %i, and numbers that Python alone knows as NaN',
    async (size) => {
      expect(await read(TEXT, size)).toEqual({
        a: NaN,
        b: [NaN, 1500, 'NaN " \\'],
        'list[0]': { x: 'say "Infinity"' },
        'list[1]': NaN,
        c: { d: null },
      });
    },
  );

  it('says where a text ends too early', async () =>
    expect(read('{"list": [{"x": 1}, {"y": "ab', 4)).rejects.toMatchObject({ kind: 'truncated', key: 'list[1].y' }));

  it('refuses more text than it may keep at a time: of an entry, or of the root', async () => {
    const read = (text: string) =>
      readJson(
        pieces(text, 5),
        'file',
        { lists: ['list'], limit: () => ({ head: 10, tail: 10 }), entry: () => undefined, value: () => undefined },
        100,
      );
    const long = JSON.stringify('x'.repeat(60));
    await read(`{"list": [${long}, ${long}, ${long}, ${long}]}`);
    await expect(read(`{"list": [1, {"a": [${Array(6).fill(long).join()}]}]}`)).rejects.toMatchObject({
      ...{ kind: 'too_large', key: 'list[1].a[1]' },
    });
    await expect(read(`{"a": ${long}, "b": {"c": ${long}}, "d": ${long}}`)).rejects.toMatchObject({ key: 'b.c' });
  });

  it('does not take a key for a prototype', async () => {
    const found = await read('{"c": {"__proto__": {"x": 1}}}', 5);
    expect((found['c'] as { x?: number }).x).toBeUndefined();
  });
});

describe('TextCollector', () => {
  const taken = (text: string, size: number) => {
    const collector = new TextCollector({ head: 10, tail: 10 });
    for (let at = 0; at < text.length; at += size) collector.add(text.slice(at, at + size));
    return collector.take();
  };

  it('keeps a text up to its limit whole', () =>
    expect(taken('é'.repeat(10), 3)).toEqual({ text: 'é'.repeat(10), bytes: 20, clipped: false }));

  it.each([1, 5, 20_000])('keeps whole characters of both ends of a long one, given in pieces of %i', (size) =>
    expect(taken(`ab${'é'.repeat(50_000)}yz`, size)).toEqual({
      text: `ab${'é'.repeat(4)}\n[... ${100_004 - 20} bytes of output not shown ...]\n${'é'.repeat(4)}yz`,
      bytes: 100_004,
      clipped: true,
    }),
  );
});
