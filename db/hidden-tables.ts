/** Tables that readers may not read: they hold keys. */
export const HIDDEN_TABLES = ['evaluator_key', 'sealing_key'] as const;
export type HiddenTable = (typeof HIDDEN_TABLES)[number];
