import { expect, it } from 'vitest';
import { checkoutFiles, read } from './checkout.js';

const MOST_COLUMNS = 100;

const isComment = (line: string): boolean => /^\s*(?:\/\*\*|\*|\/\/)/.test(line);
const isDirective = (line: string): boolean => /\/\/ oxlint-/.test(line);
const columns = (line: string): number => line.replace(/https?:\/\/\S+/g, '').length;

it('no comment line of TypeScript is above 100 columns', () => {
  const long = checkoutFiles()
    .filter((path) => /\.tsx?$/.test(path))
    .flatMap((path) =>
      read(path)
        .split('\n')
        .flatMap((line, at) =>
          isComment(line) && !isDirective(line) && columns(line) > MOST_COLUMNS ? [`${path}:${at + 1}`] : [],
        ),
    );
  expect(long).toEqual([]);
});
