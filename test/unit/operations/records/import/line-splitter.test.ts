import { describe, expect, it } from 'vitest';
import { LineSplitter } from '../../../../../operations/records/import/line-splitter.js';

const parts = (pieces: string[], most?: number) => {
  const splitter = new LineSplitter('a.jsonl', ['list', 'other'], most);
  const found = pieces.flatMap((piece) => splitter.push(piece));
  splitter.end();
  return found.map(({ key, listed, text }) => [key, listed, text.trim()]);
};
const LINE = String.raw`{"n": 1.250000000000000000001, "list": [{"a": "x,]}\"\\", "b": [1, {"c": 2}]}, "t\\", 3], "o": {"list": [1]}, "other": [ ], "s": "{"} `;
const EXPECTED = [
  ['n', false, '1.250000000000000000001'],
  ['list', true, String.raw`{"a": "x,]}\"\\", "b": [1, {"c": 2}]}`],
  ['list', true, String.raw`"t\\"`],
  ['list', true, '3'],
  ['o', false, '{"list": [1]}'],
  ['s', false, '"{"'],
];

describe('a line of JSON', () => {
  it('is split into its values and the entries of its lists, as they are written', () => {
    expect(parts([LINE])).toEqual(EXPECTED);
    expect(parts(['{}'])).toEqual([]);
  });

  it('is split alike wherever its pieces end', () => {
    expect(parts([...LINE])).toEqual(EXPECTED);
    for (let cut = 1; cut < LINE.length; cut++) expect(parts([LINE.slice(0, cut), LINE.slice(cut)])).toEqual(EXPECTED);
  });

  it.each([
    ['{"a": 1', 'truncated'],
    ['{"list": [1, "', 'truncated'],
    ['', 'truncated'],
    ['[1]', 'not_json'],
    ['1', 'truncated'],
    ['x {"a": 1}', 'not_json'],
    ['{"a": 1} {', 'not_json'],
    ['{"a": 1} x', 'not_json'],
    ['{"a", "b": 1}', 'not_json'],
    ['{a: 1}', 'not_json'],
    ['{"list": [1,]}', 'not_json'],
    ['{"list": [1}]}', 'not_json'],
    ['{"list": [1] 2}', 'not_json'],
    ['{"list": x[1]}', 'not_json'],
    ['{,}', 'not_json'],
  ])('that is %j is refused: %s', (line, kind) => {
    expect(() => parts([line])).toThrow(expect.objectContaining({ kind }));
  });

  it('whose value is too long is refused with its place, before all of it is read', () => {
    const splitter = new LineSplitter('a.jsonl', ['list'], 1000);
    splitter.push(`{"list": [1, "${'x'.repeat(900)}`);
    expect(() => splitter.push('x'.repeat(200))).toThrow(
      expect.objectContaining({ kind: 'too_large', file: 'a.jsonl', key: 'list[1]' }),
    );
  });
});
