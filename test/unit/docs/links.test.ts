import { existsSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkoutFiles, read, ROOT, withoutCode } from './checkout.js';

const files = checkoutFiles();
const pages = files.filter((path) => path.endsWith('.md') && !path.startsWith('test/fixtures/'));

interface Link {
  path: string;
  anchor: string;
}

/** Links to files of this checkout, resolved from the root. */
function links(page: string): Link[] {
  return [...withoutCode(read(page)).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => {
      const [path = '', anchor = ''] = target.split('#');
      return { path: path === '' ? page : normalize(join(dirname(page), path)), anchor };
    });
}

/** What GitHub calls the headings of a page. */
function anchors(page: string): string[] {
  const seen = new Map<string, number>();
  return [
    ...read(page)
      .replace(/^```[\s\S]*?^```$/gm, '')
      .matchAll(/^#{1,6} (.+)$/gm),
  ].map(([, heading = '']) => {
    const slug = heading
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/ /g, '-');
    const times = seen.get(slug) ?? 0;
    seen.set(slug, times + 1);
    return times === 0 ? slug : `${slug}-${times}`;
  });
}

describe('links between pages', () => {
  it.each(pages.filter((page) => links(page).length > 0))('of %s lead to files and headings that exist', (page) => {
    const broken = links(page).filter(
      ({ path, anchor }) =>
        !existsSync(join(ROOT, path)) || (anchor !== '' && path.endsWith('.md') && !anchors(path).includes(anchor)),
    );
    expect(broken).toEqual([]);
  });

  it('reach every page of docs/ from its index', () => {
    const reached = new Set(links('docs/index.md').map(({ path }) => path));
    expect(pages.filter((page) => page.startsWith('docs/') && page !== 'docs/index.md' && !reached.has(page))).toEqual(
      [],
    );
  });
});

describe('pages that sources name', () => {
  it('exist', () => {
    const named = files
      .filter((path) => /\.(ts|mjs|cjs|py|sql|toml|ya?ml|service|md)$/.test(path))
      .flatMap((file) => [...read(file).matchAll(/(?<![\w-])docs\/[a-z/-]+\.md/g)].map(([page]) => ({ file, page })));
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter(({ page }) => !existsSync(join(ROOT, page)))).toEqual([]);
  });
});

describe('paths that pages name', () => {
  it('exist', () => {
    const folders = [...new Set(files.filter((path) => path.includes('/')).map((path) => path.split('/')[0]))];
    const path = new RegExp(`(?<=[\`(])(?:\\./)?(?:${folders.join('|')})/[\\w./-]*(?=[\`)])`, 'g');
    const named = ['README.md', 'CONTRIBUTING.md', ...pages.filter((page) => page.startsWith('docs/'))].flatMap(
      (page) => [...read(page).matchAll(path)].map(([target]) => ({ page, target })),
    );
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter(({ target }) => !existsSync(join(ROOT, target)))).toEqual([]);
  });
});
