import { describe, expect, test } from 'vitest';
import { chunksOf, eventFrame } from '../../../envs/ors/sse.js';

/** The Python client's reading of a stream: it strips each value's start and joins chunks. */
const asRead = (frames: string): string =>
  frames
    .split('\n')
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice('data:'.length).replace(/^[\s\u0085]+/, ''))
    .join('');

const read = (result: object, units?: number): unknown =>
  JSON.parse(
    asRead(
      chunksOf(result, units)
        .map((chunk) => eventFrame('chunk', chunk))
        .join(''),
    ),
  ) as unknown;

describe('events of ORS', () => {
  test('name the event, and carry lines one by one', () => {
    expect(eventFrame('task_id', '7')).toBe('event: task_id\ndata: 7\n\n');
    expect(eventFrame('end', '')).toBe('event: end\ndata: \n\n');
    expect(eventFrame('error', 'a\nb')).toBe('event: error\ndata: a\ndata: b\n\n');
  });

  test('hold a result in one piece if it is short, in lines below 400 KiB if it is not', () => {
    expect(chunksOf({ a: 1 })).toEqual(['{"a":1}']);
    for (const letter of ['x', 'ä', '語', '😀', ' ', '\n']) {
      const long = { text: letter.repeat(500_000) };
      const chunks = chunksOf(long);
      expect(chunks.length).toBeGreaterThan(1);
      for (const chunk of chunks) expect(Buffer.byteLength(chunk)).toBeLessThan(400 * 1024);
      expect(read(long)).toEqual(long);
    }
  });

  test.each([1, 2, 3, 7])('lose nothing by the stripping of what a chunk of %i begins with', (units) => {
    const result = { text: 'a  b\t\u00a0\u0085\u2028\u3000 😀😀 \\ " c ', more: [' ', null, 1.5] };
    expect(read(result, units + 1)).toEqual(result);
    for (const chunk of chunksOf(result, units + 1)) {
      expect(chunk).not.toMatch(/^[\s\u0085]/);
      // Encoded one by one: no character is cut in two.
      expect(Buffer.from(chunk).toString()).toBe(chunk);
    }
  });
});
