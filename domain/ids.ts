import { decodeTime, ulid } from 'ulid';

/** `b-` + ULID in lower case: sorts by creation time; 80 random bits make it unguessable. */
export const newBatchId = (): string => `b-${ulid().toLowerCase()}`;

/** `r-` + ULID in lower case. A run is (batch, model, task, attempt). */
export const newRunId = (): string => `r-${ulid().toLowerCase()}`;

export const isRunId = (text: string): boolean => /^r-[0-9a-z]{26}$/.test(text);

/** Epoch milliseconds. */
export const timeOfRunId = (runId: string): number => decodeTime(runId.slice(2).toUpperCase());

/** For a rollout without a trainer's name. */
export const newRolloutId = (): string => `rollout-${newRunId().slice(2)}`;

/** For one request to the gateway. */
export const newCallKey = (): string => `call-${ulid().toLowerCase()}`;
