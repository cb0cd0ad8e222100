import { type Policy, reply } from './policy.js';

/** Steps append to a file and print its length, so that repeated commands show. */
export const counter: Policy = ({ stepsTaken, number }) =>
  stepsTaken < number
    ? reply(`Step ${stepsTaken + 1}.`, `echo ${stepsTaken + 1} >> counter.txt; wc -l < counter.txt`)
    : reply('Counted.', 'submit');
