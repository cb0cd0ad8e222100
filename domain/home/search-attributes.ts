/** What our workflows set, for searches in Temporal: registered in the embedded server and needed in any other one. All keywords. */
export const SEARCH_ATTRIBUTES = ['BatchId', 'Model', 'Task', 'RunStatus'] as const;
