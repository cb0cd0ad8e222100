import { describe, expect, it } from 'vitest';
import { checkoutFiles, read } from './checkout.js';

const pages = checkoutFiles('docs');
/** Written by programs, whose lines are as long as what they describe. */
const GENERATED = ['docs/reference/cli.md', 'docs/reference/schema.md', 'docs/reference/json.md'];

/** Rules and bars of tables are no words. */
const wordsOf = (page: string): number => read(page).match(/\S*[\p{L}\p{N}]\S*/gu)?.length ?? 0;

describe('docs/', () => {
  const words = (some: readonly string[]) => some.reduce((sum, page) => sum + wordsOf(page), 0);

  it('is read in an afternoon: at most 32,500 words that people write', () => {
    expect(words(pages.filter((page) => !GENERATED.includes(page)))).toBeLessThanOrEqual(32_500);
  });

  // They grow with what they list, one line each.
  it('is looked up in at most 19,500 that programs write', () => {
    expect(words(GENERATED)).toBeLessThanOrEqual(19_500);
  });

  it.each(pages.filter((page) => !GENERATED.includes(page)))('%s has lines that a diff can show', (page) => {
    const long = read(page)
      .split('\n')
      .filter((line) => line.length > 200);
    expect(long).toEqual([]);
  });
});
