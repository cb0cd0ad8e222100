export const LOG_LEVELS = ['error', 'warn', 'info', 'debug', 'trace'] as const;
export type WorkerLogLevel = (typeof LOG_LEVELS)[number];
