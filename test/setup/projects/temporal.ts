import { findTemporalForTests } from '../find-temporal.js';
import { clearEnvironment } from './environment.js';

/** Project `temporal`: the server's binary is there, built or downloaded if it must be. */
export async function setup(): Promise<void> {
  clearEnvironment();
  await findTemporalForTests();
}
