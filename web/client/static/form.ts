/** Is this page an export? Said by the build. */
declare const STATIC: boolean;
export const isStatic = STATIC;

/** Pages that an export has. */
const EXPORTED = ['/', '/batches', '/runs', '/leaderboard', '/compare'];
export const isShown = (page: string): boolean => !isStatic || EXPORTED.includes(page);
