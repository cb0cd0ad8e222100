/** Set by the build. */
declare const STATIC: boolean;
export const isStatic = STATIC;

const EXPORTED = ['/', '/batches', '/runs', '/leaderboard', '/compare'];
export const isShown = (page: string): boolean => !isStatic || EXPORTED.includes(page);
