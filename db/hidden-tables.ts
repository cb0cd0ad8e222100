/** Readers may not read these: they contain keys. */
export const HIDDEN_TABLES = ['evaluator_key', 'sealing_key'] as const;
export type HiddenTable = (typeof HIDDEN_TABLES)[number];
