import { expect, test } from 'vitest';
import { Remarks } from '../../../../../operations/records/import/remarks.js';

const told = (remarks: Remarks) => remarks.all().map(({ file, key, kind, message }) => [file, key, kind, message]);

test('what is counted is told once for a file, at its first place', () => {
  const remarks = new Remarks('run');
  for (let step = 0; step < 40; step++)
    for (const key of ['mood', 'weather'])
      remarks.counted('a.json', `steps[${step}].${key}`, 'unknown_key', 'omitted', key);
  remarks.counted('b.json', 'steps[0].mood', 'unknown_key', 'omitted', 'mood');
  expect(told(remarks)).toEqual([
    ['a.json', 'steps[0].mood', 'unknown_key', 'omitted (40 times in the file)'],
    ['a.json', 'steps[0].weather', 'unknown_key', 'omitted (40 times in the file)'],
    ['b.json', 'steps[0].mood', 'unknown_key', 'omitted'],
  ]);
});

test('a thousand different ones are a few lines', () => {
  const remarks = new Remarks('run');
  for (let key = 0; key < 1000; key++) remarks.counted('a.json', `k${key}`, 'unknown_key', 'omitted', `k${key}`);
  expect(told(remarks)).toHaveLength(6);
  expect(told(remarks).at(-1)).toEqual(['a.json', '', 'unknown_key', 'and 995 more of this kind, the last at k999']);
});
