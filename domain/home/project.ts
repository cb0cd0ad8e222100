/** The project of every batch, so far the only one. */
export const DEFAULT_PROJECT = 'default';
