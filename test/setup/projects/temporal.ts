import { prepareBeside } from '../beside-the-tests.js';
import { findTemporalForTests } from '../find-temporal.js';
import { clearEnvironment, makeScratch } from './environment.js';

/** Project `temporal`: the server's binary, downloaded or built, if need be later. */
export async function setup(): Promise<() => Promise<void>> {
  clearEnvironment();
  const { scratch, remove } = makeScratch();
  const done = await prepareBeside('temporal', scratch, findTemporalForTests);
  return async () => {
    await done();
    remove();
  };
}
