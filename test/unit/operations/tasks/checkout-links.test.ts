import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findLocalData } from '../../../../operations/tasks/import/local-data.js';
import { readCheckout, readDatasets } from '../../../../operations/tasks/import/mlgym-config.js';
import { draftTask } from '../../../../operations/tasks/import/plan-task.js';
import { copyPlainFolder, plainPath } from '../../../../operations/tasks/import/plain-path.js';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'bench-checkout-'));
  write('mine/evaluate.py', 'secret = 1\n');
  write('mine/dataset.yaml', 'name: d\ndata_path: data/d/data\nis_local: true\n');
  write(
    'theirs/configs/tasks/x.yaml',
    'id: x\nname: X\ndescription: x\ntask_entrypoint: CSVSubmissionTasks\nstarter_code: [data/x/evaluate.py]\nevaluation_paths: [evaluate.py]\ndataset_configs: [datasets/d.yaml]\n',
  );
});
afterEach(() => rmSync(root, { recursive: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}
function link(path: string, target: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  symlinkSync(join(root, target), join(root, path));
}

describe('a checkout of MLGym with links', () => {
  test.each([
    ['data/x', 'mine'],
    ['data/x/evaluate.py', 'mine/evaluate.py'],
    ['data', '.'],
  ])('has no starter at %s', (path, target) => {
    link(`theirs/${path}`, target);
    const checkout = readCheckout(join(root, 'theirs'));
    expect(draftTask(checkout, checkout.tasks[0]!, join(root, 'none'))).toContainEqual(
      expect.objectContaining({
        key: 'starter_code',
        message: `${path}: a link, which may point outside of the folder`,
      }),
    );
  });

  test('has no task config and no dataset config by a link', () => {
    link('theirs/configs/tasks/linked.yaml', 'theirs/configs/tasks/x.yaml');
    link('theirs/configs/datasets', 'mine');
    const checkout = readCheckout(join(root, 'theirs'));
    expect(checkout.broken).toMatchObject([
      { id: 'linked', problem: { message: expect.stringContaining('a link') as string } },
    ]);
    expect(readDatasets(checkout, checkout.tasks[0]!).problems).toMatchObject([
      { message: expect.stringContaining('configs/datasets: a link') as string },
    ]);
  });

  test('has no data by a link', () => {
    link('theirs/data/d', 'mine');
    const dataset = { name: 'd', description: '', data_path: 'data/d', is_local: true };
    expect(() => findLocalData(join(root, 'theirs'), undefined, [dataset])).toThrow('data/d: a link');
    expect(() => findLocalData(join(root, 'none'), join(root, 'theirs'), [dataset])).toThrow('data/d: a link');
  });
});

describe('a path of a folder of others', () => {
  test.each(['../mine', 'data/../../mine', '/etc/passwd'])('%s is refused', (path) => {
    expect(plainPath(join(root, 'theirs'), path)).toMatchObject({ kind: 'refused', part: path });
  });

  test('is copied only where it is a plain file', () => {
    link('theirs/configs/deep', 'mine');
    expect(() => copyPlainFolder(join(root, 'theirs'), join(root, 'copy'))).toThrow('is not a plain file');
    expect(plainPath(root, 'copy/configs/deep').kind).toBe('missing');
  });
});
