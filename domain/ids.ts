import { decodeTime, ulid } from 'ulid';

/** Batch id: `b-` + ULID in lower case; sorts by creation time, 80 random bits make it unguessable. */
export const newBatchId = (): string => `b-${ulid().toLowerCase()}`;

/** Run id: `r-` + ULID in lower case. A run is (batch, model, task, attempt). */
export const newRunId = (): string => `r-${ulid().toLowerCase()}`;

export const isRunId = (text: string): boolean => /^r-[0-9a-z]{26}$/.test(text);

/** When such an id was made (milliseconds since 1970). */
export const timeOfRunId = (runId: string): number => decodeTime(runId.slice(2).toUpperCase());

/** Of a rollout whose trainer did not name it. */
export const newRolloutId = (): string => `rollout-${newRunId().slice(2)}`;

/** Of one request to the gateway. */
export const newCallKey = (): string => `call-${ulid().toLowerCase()}`;
