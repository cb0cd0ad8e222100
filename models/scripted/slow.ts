import { type Policy, reply } from './policy.js';

/** Three commands that print a line a second for `number` seconds, then a submission. */
export const slow: Policy = ({ stepsTaken, number }) =>
  stepsTaken < 3
    ? reply(
        'This takes a while.',
        `for i in $(seq ${number}); do echo "tick $i of ${number} in process $$"; sleep 1; done`,
      )
    : reply('Done.', 'submit');
