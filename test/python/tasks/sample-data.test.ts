import { describe, expect, it } from 'vitest';
import { prepared, taskSpec } from './task-python.js';

/** Of the sample's files, equal on every machine. Update them when prepare.py changes the data. */
const DIGESTS: Record<string, string> = {
  rlMountainCarContinuous: 'b4ce61690821dafa426c462b84e66d81c99c46da889a0558aedab61d5b98728d',
  rlMountainCarContinuousReinforce: 'b4ce61690821dafa426c462b84e66d81c99c46da889a0558aedab61d5b98728d',
  rlMetaMazeMisc: '52cc0f36ae140019750598a1494046e99eb430fb4b7822afdea826d9f3d2cafb',
  rlBreakoutMinAtar: '141e88b6323bfa047b7860a557d0e8f9150f043f2c4347902a188e57cd3b6974',
  naturalLanguageInferenceMNLI: '83a6282c1169d27c9312bf6a5e2c1292c112de73263aa0ca18e456b603fb611b',
  imageCaptioningCOCO: '24a5fe1c747506318a46f2409c97f33a5b1933313361da5a47d9fb869c7807c7',
  languageModelingFineWeb: '557d736fa59e8564a2c2a7bc48c6063124a2c596c18c8dbd84ccca6d183de1c3',
};

describe.each(Object.entries(DIGESTS))('the sample of %s', (task, digest) => {
  it('has the declared files, the same bytes as ever, and shows agents nothing that is hidden', async () => {
    const made = await prepared(task);
    const { agent = [], hidden = [] } = taskSpec(task).data ?? {};
    const declared = [...agent.map((path) => `agent/${path}`), ...hidden.map((path) => `hidden/${path}`)];
    for (const path of declared)
      expect(Object.keys(made.files).some((file) => file === path || file.startsWith(`${path}/`))).toBe(true);
    for (const file of Object.keys(made.files))
      expect(declared.some((path) => file === path || file.startsWith(`${path}/`))).toBe(true);
    expect(made.leaks).toEqual([]);
    expect(made.digest).toBe(digest);
  });
});
