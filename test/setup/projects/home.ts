import { prepareBeside } from '../beside-the-tests.js';
import { ensureBuilt } from '../built-dist.js';
import { prepareHomeTemplate } from '../home-template.js';
import { ensurePrograms } from '../programs.js';
import { setup as setUpEngines } from './engine.js';
import { makeScratch, say } from './environment.js';
import { setup as setUpPython } from './python.js';
import { setup as setUpTemporal } from './temporal.js';

/** Projects `home`, `chaos`, `integrity`: whole homes of the built program, in containers. */
export async function setup(): Promise<() => Promise<void>> {
  ensureBuilt(say);
  const { scratch, remove } = makeScratch();
  const teardowns = [await setUpTemporal(), await setUpEngines(), await setUpPython()];
  // After the engine: apt runs one at a time.
  teardowns.push(await prepareBeside('programs', scratch, () => ensurePrograms(say)));
  await prepareHomeTemplate(scratch);
  return async () => {
    for (const teardown of teardowns.reverse()) await teardown();
    remove();
  };
}
