import { describe, expect, it } from 'vitest';
import { imageFile } from '../../../../domain/model/image-file.js';
import { imageMark, imageTokens, namedImages, shownImages } from '../../../../domain/model/images.js';

const bytes = (...parts: (string | number[])[]): Buffer =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part))));

const PNG = bytes('\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR', [0, 0, 2, 128, 0, 0, 1, 224]);
const JPEG = bytes(
  [0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 1, 0xff, 0xc4, 0, 4, 9, 9],
  [0xff, 0xc2, 0, 17, 8, 1, 224, 2, 128, 3, 1],
);
const webp = (form: string, rest: number[]): Buffer =>
  bytes('RIFF\0\0\0\0WEBP', form, [0, 0, 0, 0], rest, [0, 0, 0, 0, 0]);

describe('the type and size of an image file', () => {
  it.each([
    ['PNG', PNG, 'image/png'],
    ['GIF', bytes('GIF89a', [128, 2, 224, 1, 0]), 'image/gif'],
    ['JPEG, behind other segments', JPEG, 'image/jpeg'],
    ['WebP, lossy', webp('VP8 ', [0, 0, 0, 0x9d, 1, 0x2a, 128, 2, 224, 1]), 'image/webp'],
    ['WebP, lossless', webp('VP8L', [0x2f, 0x7f, 0xc2, 0x77, 0, 0, 0, 0, 0, 0]), 'image/webp'],
    ['WebP, extended', webp('VP8X', [0, 0, 0, 0, 0x7f, 2, 0, 0xdf, 1, 0]), 'image/webp'],
  ])('%s', (_, file, type) => expect(imageFile(file)).toEqual({ type, width: 640, height: 480 }));

  it.each([
    ['text', bytes('import os\n')],
    ['an SVG', bytes('<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>')],
    ['nothing', bytes()],
    ['an empty picture', bytes('GIF89a', [0, 0, 0, 0, 0])],
    ['a JPEG that ends before its frame', JPEG.subarray(0, 16)],
    [
      'a JPEG with a segment that is none',
      bytes([0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 1, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7]),
    ],
    ['every start of a PNG', PNG.subarray(0, 23)],
  ])('is unknown of %s', (_, file) => expect(imageFile(file)).toBeNull());
});

const mark = (id: number, size = 100): string =>
  imageMark('a [b]: c.png', {
    id: id.toString(16).padStart(16, '0'),
    type: 'image/png',
    width: 640,
    height: 480,
    size,
  });

it('a text names its images wherever a template puts them', () => {
  const text = `before\n${mark(1)}\nResult: ${mark(4)} after`;
  expect(namedImages(text)).toMatchObject([
    { id: '0000000000000001', width: 640, height: 480, size: 100, mark: mark(1) },
    { id: '0000000000000004' },
  ]);
});

it('the newest images are shown, as many and as large as every provider takes', () => {
  const texts = Array.from({ length: 30 }, (_, at) => mark(at));
  expect(shownImages(texts).map((id) => parseInt(id, 16))).toEqual(Array.from({ length: 20 }, (_, at) => 29 - at));
  expect(shownImages([...texts, ...texts])).toHaveLength(20);
  expect(shownImages([mark(1, 3_000_000), mark(2, 5_000_000), mark(3, 5_000_000), mark(3, 5_000_000)])).toHaveLength(2);
});

it('an image costs as many tokens as the dearest provider counts', () => {
  expect([
    imageTokens({ width: 10, height: 10 }),
    imageTokens({ width: 640, height: 480 }),
    imageTokens({ width: 1000, height: 800 }),
    imageTokens({ width: 2000, height: 2000 }),
  ]).toEqual([1120, 1120, 1968, 4784]);
});
