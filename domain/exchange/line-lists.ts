/** Keys of an exported line whose values are lists, in their order. */
export const LINE_LISTS = ['steps', 'calls', 'evaluations', 'memories', 'events'] as const;
export type LineList = (typeof LINE_LISTS)[number];
