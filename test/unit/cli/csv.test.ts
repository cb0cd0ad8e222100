import { expect, test } from 'vitest';
import { renderCsv } from '../../../cli/render/csv.js';

test('a cell that a spreadsheet would run gets an apostrophe, heads and quoted cells too; numbers stay numbers', () => {
  const formulas = ['=1+2', '+cmd|x', '-cmd|x', '@SUM(A1)', '\tx', '\rx', '\nx', '＝1', '=HYPERLINK("http://x","y")'];
  expect(renderCsv(formulas, [])).toBe(
    `'=1+2,'+cmd|x,'-cmd|x,'@SUM(A1),'\tx,"'\rx","'\nx",'＝1,"'=HYPERLINK(""http://x"",""y"")"\n`,
  );
  expect(renderCsv(['n'], [[-1.5, '-1.50', '+2', '-1e-7', 'a=b', 'a-b', '', null]])).toBe(
    'n\n-1.5,-1.50,+2,-1e-7,a=b,a-b,,\n',
  );
});

test('times are ISO 8601, objects JSON', () => {
  expect(renderCsv(['n'], [[new Date(0), { a: [1] }]])).toBe('n\n1970-01-01T00:00:00.000Z,"{""a"":[1]}"\n');
});
