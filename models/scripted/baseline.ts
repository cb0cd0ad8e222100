import { type Policy, reply } from './policy.js';

export const baseline: Policy = ({ task, stepsTaken }) => {
  const command = task?.baseline?.command;
  return command !== undefined && stepsTaken === 0
    ? reply('The starter tells how its baseline is made.', command)
    : reply('The starter is my submission.', 'submit');
};
