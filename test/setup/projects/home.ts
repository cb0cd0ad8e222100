import { ensureBuilt } from '../built-dist.js';
import { setup as setUpEngines } from './engine.js';
import { say } from './environment.js';
import { setup as setUpTemporal } from './temporal.js';

/** Projects `home`, `chaos`, `integrity`: whole homes of the built program, whose runs live in containers. */
export async function setup(): Promise<() => Promise<void>> {
  ensureBuilt(say);
  const teardowns = [await setUpTemporal(), await setUpEngines()];
  return async () => {
    for (const teardown of teardowns.reverse()) await teardown();
  };
}
