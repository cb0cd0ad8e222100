import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { freezeTask, loadTask } from '../../../catalog/index.js';
import { createFileArtifactStore } from '../../../backends/artifacts/file-artifact-store.js';
import { homeLayout } from '../../../domain/home/layout.js';
import { taskFolders } from '../../../worker/task-folders.js';
import { configs, folder } from '../catalog/fixtures.js';

it('a worker plays the frozen copy, else the same folder of its own home or of bench, else says where it looked', async () => {
  const [host, bundled, own] = [homeLayout(folder({})), configs(), configs({ 'tasks/coin/README.md': 'ours' })];
  const task = loadTask([own, bundled], 'coin');
  const run = { task: task.spec, taskHash: task.contentHash };
  const store = { taskArchive: () => Promise.resolve(null) };
  const artifacts = createFileArtifactStore(folder({}));
  const folderOf = taskFolders({ layout: host, configFolders: [own, bundled], store, artifacts });
  expect(await folderOf(run)).toBe(join(own, 'tasks/coin'));
  const theirs = loadTask([bundled], 'coin');
  expect(await folderOf({ task: theirs.spec, taskHash: theirs.contentHash })).toBe(join(bundled, 'tasks/coin'));

  appendFileSync(join(own, 'tasks/coin/README.md'), ', edited');
  await expect(folderOf(run)).rejects.toMatchObject({
    type: 'usage',
    remedy: expect.stringContaining(`${join(own, 'tasks/coin')} or ${join(bundled, 'tasks/coin')}`) as string,
  });
  const again = loadTask([own], 'coin');
  const frozen = freezeTask(host, again);
  appendFileSync(join(own, 'tasks/coin/README.md'), ', once more');
  expect(await folderOf({ task: again.spec, taskHash: again.contentHash })).toBe(frozen);
});
