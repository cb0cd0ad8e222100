import { type Policy, reply } from './policy.js';

/** Each step appends its number to a file and prints the file's length, so a command that ran twice shows. */
export const counter: Policy = ({ stepsTaken, number }) =>
  stepsTaken < number
    ? reply(`Step ${stepsTaken + 1}.`, `echo ${stepsTaken + 1} >> counter.txt; wc -l < counter.txt`)
    : reply('Counted.', 'submit');
