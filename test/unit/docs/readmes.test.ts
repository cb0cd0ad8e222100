import { readdirSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkoutFiles, read, ROOT } from './checkout.js';

const files = checkoutFiles();
const isSource = (path: string): boolean => /\.(ts|py|mjs|cjs|sh)$/.test(path);

/** What a README lists: the first file of each list item, and of each table's first cells. */
const listed = (readme: string): string[] =>
  [...readme.matchAll(/^ *(?:- |\| )((?:`[^`\n]+`(?:, )?)+)/gm)]
    .flatMap(([, names = '']) => [...names.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name))
    .filter((name) => isSource(name) && !name.includes('/'));

const lists = files
  .filter((path) => basename(path) === 'README.md' && !/^(configs|test\/fixtures)\//.test(path))
  .map((path) => ({ path, folder: dirname(path), text: read(path) }))
  .filter(({ text }) => listed(text).length > 2);

/** Of the folders at the top; docs/ has its index. */
const rooms = readdirSync(ROOT, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !/^(\.|(node_modules|dist|docs)$)/.test(entry.name))
  .map(({ name }) => name)
  .filter((name) => files.some((path) => path.startsWith(`${name}/`)));

describe('the README of a folder at the top', () => {
  it.each(rooms)('%s/ fits a screen and names each folder below', (room) => {
    const text = read(`${room}/README.md`);
    const folders = files
      .filter((path) => path.startsWith(`${room}/`))
      .flatMap((path) => path.split('/').slice(1, -1)[0] ?? []);
    expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(30);
    expect(
      [...new Set(folders)].filter((name) => !text.includes(`${name}/\``) && !text.includes(`\`${name}\``)),
    ).toEqual([]);
  });
});

describe('READMEs that list the files of their folder', () => {
  it('are those of the large folders', () => {
    expect(lists.length).toBeGreaterThan(8);
  });

  it.each(lists)('$path lists those that there are, and no others', ({ folder, text }) => {
    const own = files.filter((path) => dirname(path) === folder && isSource(path)).map((path) => basename(path));
    const below = new Set(files.filter((path) => path.startsWith(`${folder}/`)).map((path) => basename(path)));
    expect({
      unlisted: own.filter((name) => !text.includes(`\`${name}\``)),
      gone: listed(text).filter((name) => !below.has(name)),
    }).toEqual({ unlisted: [], gone: [] });
  });
});
