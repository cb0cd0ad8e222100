import { type Policy, reply } from './policy.js';

/** Submits the starter as it is. */
export const baseline: Policy = () => reply('The starter is my submission.', 'submit');
