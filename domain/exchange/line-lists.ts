/** List-valued keys of an exported line, in order. */
export const LINE_LISTS = ['steps', 'calls', 'evaluations', 'memories', 'images', 'events'] as const;
export type LineList = (typeof LINE_LISTS)[number];
