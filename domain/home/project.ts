/** The project of every batch. There is no way to create another one yet. */
export const DEFAULT_PROJECT = 'default';
