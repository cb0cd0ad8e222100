import { expect, test } from 'vitest';
import { csvText } from '../../../report/csv-text.js';

test('a cell that a spreadsheet would run gets an apostrophe, heads and quoted cells too; numbers stay numbers', () => {
  const formulas = ['=1+2', '+cmd|x', '-cmd|x', '@SUM(A1)', '\tx', '\rx', '\nx', '＝1', '=HYPERLINK("http://x","y")'];
  expect(csvText([formulas])).toBe(
    `'=1+2,'+cmd|x,'-cmd|x,'@SUM(A1),'\tx,"'\rx","'\nx",'＝1,"'=HYPERLINK(""http://x"",""y"")"\n`,
  );
  expect(csvText([[-1.5, '-1.50', '+2', '-1e-7', 'a=b', 'a-b', '', null]])).toBe('-1.5,-1.50,+2,-1e-7,a=b,a-b,,\n');
  expect(csvText([{ '=head': '=x' }], { header: true })).toBe(`'=head\n'=x\n`);
});

test('times are ISO 8601, objects JSON', () => {
  expect(csvText([[new Date(0), { a: [1] }]])).toBe('1970-01-01T00:00:00.000Z,"{""a"":[1]}"\n');
});
