/** Keywords for searches in Temporal: registered in the embedded server, required in others. */
export const SEARCH_ATTRIBUTES = ['BatchId', 'Model', 'Task', 'RunStatus'] as const;
