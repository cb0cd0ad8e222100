import { expect, test } from 'vitest';
import { rowsOfColumns } from '../../../db/queries/rows-of-columns.js';

test('rows are made of the columns that the database gives, null where a value is', () => {
  expect(rowsOfColumns({ model: ['a', 'b'], best: [1, null] })).toEqual([
    { model: 'a', best: 1 },
    { model: 'b', best: null },
  ]);
});

test('no rows are columns that are null', () => {
  expect(rowsOfColumns({ model: null, best: null })).toEqual([]);
});
