import { expect, it } from 'vitest';
import { readCollected } from '../../../../backends/docker/collect-files.js';

async function* inPieces(whole: Buffer, length: number) {
  for (let at = 0; at < whole.length; at += length) yield await Promise.resolve(whole.subarray(at, at + length));
}
const line = (said: object) => Buffer.from(`${JSON.stringify(said)}\n`);
const two = Buffer.concat([
  line({ path: 'a', size: 4 }),
  Buffer.from('{"\n}'),
  line({ path: 'nest/empty', size: 0 }),
  line({ path: 'nest/b', size: 3 }),
  Buffer.from('bbb'),
]);

it.each([1, 2, 7, 1000])('files are told from the lines between them, in pieces of %i bytes', async (length) => {
  const whole = Buffer.concat([two, line({ kind: 'files' })]);
  expect(await readCollected(inPieces(whole, length), 7)).toEqual({
    kind: 'files',
    files: [
      { path: 'a', bytes: Buffer.from('{"\n}') },
      { path: 'nest/empty', bytes: Buffer.alloc(0) },
      { path: 'nest/b', bytes: Buffer.from('bbb') },
    ],
  });
});

it('the last line says what it came to, whatever came before it', async () => {
  for (const end of [
    { kind: 'missing', paths: ['c'] },
    { kind: 'refused', reason: 'no' },
  ])
    expect(await readCollected(inPieces(Buffer.concat([two, line(end)]), 5), 7)).toEqual(end);
});

it('a stream that breaks off, or holds more than may come, is no collection', async () => {
  await expect(readCollected(inPieces(two, 5), 7)).rejects.toThrow('before its last line');
  await expect(readCollected(inPieces(two, 5), 6)).rejects.toThrow('more than it was asked for');
});
