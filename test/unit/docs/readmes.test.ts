import { basename, dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkoutFiles, read } from './checkout.js';

const files = checkoutFiles();
const isSource = (path: string): boolean => /\.(ts|py)$/.test(path);

/** What a README lists: the files named first in its list items, and in the first cells of its tables. */
const listed = (readme: string): string[] =>
  [...readme.matchAll(/^ *(?:- |\| )((?:`[^`\n]+`(?:, )?)+)/gm)]
    .flatMap(([, names = '']) => [...names.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name))
    .filter((name) => isSource(name) && !name.includes('/'));

const lists = files
  .filter((path) => basename(path) === 'README.md' && !/^(configs|test\/fixtures)\//.test(path))
  .map((path) => ({ path, folder: dirname(path), text: read(path) }))
  .filter(({ text }) => listed(text).length > 2);

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
