/** Imports nothing. */

/** A viewer reads; an operator also acts on batches, runs, hosts and limits. */
export const ROLES = ['viewer', 'operator'] as const;
export type Role = (typeof ROLES)[number];

export const mayAct = (has: Role, asked: Role): boolean => asked === 'viewer' || has === 'operator';
