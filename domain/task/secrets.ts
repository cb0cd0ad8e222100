/** Shorter files may well be the same by chance. */
const SHORTEST = 16;

/** Is a file of evaluator/ one that agents must not see? What the player's programs are given is no secret, and beside referee.py. */
export const isSecret = (path: string, bytes: number): boolean =>
  bytes >= SHORTEST && !path.startsWith('inputs/') && !path.startsWith('player/');
