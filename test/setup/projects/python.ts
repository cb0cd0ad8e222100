import { prepareBeside } from '../beside-the-tests.js';
import { ensurePythonTools } from '../python-tools.js';
import { makeScratch } from './environment.js';

/** Projects `checks` and `python`: one environment of Python tools, if need be later. */
export async function setup(): Promise<() => Promise<void>> {
  const { scratch, remove } = makeScratch();
  const made = await prepareBeside('python-tools', scratch, ensurePythonTools);
  return async () => {
    await made();
    remove();
  };
}
