/** Actions on the page. Imports nothing. */
export const BATCH_ACTIONS = ['pause', 'resume', 'budget', 'cancel', 'retry', 'label'] as const;
export const RUN_ACTIONS = ['cancel', 'retry', 'fork', 'label'] as const;
export const HOST_ACTIONS = ['drain', 'undrain', 'remove'] as const;
