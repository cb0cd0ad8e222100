import { InfrastructureError } from '../../domain/errors.js';

const MAX_TRIES = 20;

/**
 * Repeat a statement that raced with the same insert elsewhere: it waited for that row, inserted nothing, and its snapshot cannot
 * see the row. The next statement can.
 */
export async function untilSettled<Value>(what: string, attempt: () => Promise<Value | undefined>): Promise<Value> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const value = await attempt();
    if (value !== undefined) return value;
  }
  throw new InfrastructureError(`Postgres: ${what} met concurrent writers in all ${MAX_TRIES} tries`);
}
