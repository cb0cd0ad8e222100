/** Shorter files may be equal by chance. */
const SHORTEST = 16;

/** Must agents not see this file of evaluator/? Player programs' files are no secret. */
export const isSecret = (path: string, bytes: number): boolean =>
  bytes >= SHORTEST && !path.startsWith('inputs/') && !path.startsWith('player/');
