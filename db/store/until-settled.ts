import { InfrastructureError } from '../../domain/errors.js';

const MAX_TRIES = 20;

/** Repeats a statement that raced with an equal insert, whose row its snapshot cannot see. */
export async function untilSettled<Value>(what: string, attempt: () => Promise<Value | undefined>): Promise<Value> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const value = await attempt();
    if (value !== undefined) return value;
  }
  throw new InfrastructureError(`Postgres: ${what} met concurrent writers in all ${MAX_TRIES} tries`);
}
