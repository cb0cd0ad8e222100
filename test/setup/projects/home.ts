import { ensureBuilt } from '../built-dist.js';
import { prepareHomeTemplate } from '../home-template.js';
import { setup as setUpEngines } from './engine.js';
import { makeScratch, say } from './environment.js';
import { setup as setUpTemporal } from './temporal.js';

/** Projects `home`, `chaos`, `integrity`: whole homes of the built program, whose runs live in containers. */
export async function setup(): Promise<() => Promise<void>> {
  ensureBuilt(say);
  const { scratch, remove } = makeScratch();
  const teardowns = [await setUpTemporal(), await setUpEngines()];
  await prepareHomeTemplate(scratch);
  return async () => {
    for (const teardown of teardowns.reverse()) await teardown();
    remove();
  };
}
