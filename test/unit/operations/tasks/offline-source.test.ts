import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { offlineSources } from '../../../../operations/tasks/prepare/offline-source.js';

const source = (name: string, letter: string, url = `https://host.example/${name}`) => ({
  ...{ name, sha256: letter.repeat(64), bytes: 3, urls: [url], licence: 'none', about: 'a file' },
});

let dir: string;
beforeEach(() => (dir = mkdtempSync(join(tmpdir(), 'bench-offline-'))));
afterEach(() => rmSync(dir, { recursive: true, force: true }));
const put = (path: string, content = 'abc'): string => {
  mkdirSync(dirname(join(dir, path)), { recursive: true });
  writeFileSync(join(dir, path), content);
  return join(dir, path);
};

it('finds plain files at any depth, those of the declared size first', () => {
  put('old/train.csv', 'no longer this');
  const right = put('new/train.csv');
  expect(offlineSources(dir, [source('train.csv', 'a')]).get('train.csv')).toBe(right);
});

it('finds what a hub keeps by checksum, and by its path in a snapshot', () => {
  const blob = put(`hub/datasets--a--b/blobs/${'a'.repeat(64)}`);
  const other = put('hub/datasets--a--b/blobs/0123');
  const linked = join(dir, 'hub/datasets--a--b/snapshots/rev/data/test.parquet');
  mkdirSync(dirname(linked), { recursive: true });
  symlinkSync(other, linked);
  const places = offlineSources(dir, [
    source('mine.bin', 'a'),
    source('renamed.parquet', 'b', 'https://host.example/datasets/a/b/resolve/main/data/test.parquet?download=true'),
  ]);
  expect(places.get('mine.bin')).toBe(blob);
  expect(places.get('renamed.parquet')).toBe(linked);
});

it('names all that is missing, with size and checksum, and what to do', () => {
  put('one.csv');
  const all = [source('one.csv', 'a'), source('two.csv', 'b'), source('three.csv', 'c')];
  expect(() => offlineSources(dir, all)).toThrow(
    `${dir} lacks two.csv (3 bytes, SHA-256 ${'b'.repeat(64)}), three.csv (3 bytes, SHA-256 ${'c'.repeat(64)})`,
  );
  expect(() => offlineSources(join(dir, 'one.csv'), all)).toThrow('one.csv is not a folder');
});
