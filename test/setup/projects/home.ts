import { ensureBuilt } from '../built-dist.js';
import { findTemporalForTests } from '../find-temporal.js';
import { setup as setUpEngines } from './engine.js';
import { say } from './environment.js';

/** Projects `home`, `chaos`, `integrity`: whole homes of the built program, whose runs live in containers. */
export async function setup(): Promise<() => void> {
  ensureBuilt(say);
  const teardown = await setUpEngines();
  await findTemporalForTests();
  return teardown;
}
