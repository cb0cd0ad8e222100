import { InfrastructureError } from '../../domain/errors.js';

const MAX_TRIES = 20;

/**
 * Repeat a statement that met a concurrent twin: its insert waited for the twin's row, then did nothing, and its
 * snapshot could not yet see that row. The next statement can.
 */
export async function untilSettled<Value>(what: string, attempt: () => Promise<Value | undefined>): Promise<Value> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const value = await attempt();
    if (value !== undefined) return value;
  }
  throw new InfrastructureError(`Postgres: ${what} found no quiet moment in ${MAX_TRIES} tries`);
}
