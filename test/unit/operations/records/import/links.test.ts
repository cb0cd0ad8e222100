import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { importExchanged } from '../../../../../operations/records/import/exchange/import-exchanged.js';
import { readTrial } from '../../../../../operations/records/import/exchange/harbor-trial.js';
import { Remarks } from '../../../../../operations/records/import/remarks.js';
import { findRunDirectories } from '../../../../../operations/records/import/run-directories.js';

let root: string;
let mine: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'bench-links-'));
  mine = join(root, 'mine');
  write('mine/secret.json', '{"agent": {}}');
});
afterEach(() => rmSync(root, { recursive: true }));

function write(path: string, text: string): string {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}
function link(path: string, target: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  symlinkSync(target, join(root, path));
}

describe('run directories of MLGym', () => {
  const RUN = 'theirs/metagen-m__blotto__default_run_0';
  test.each(['results.json', 'blotto.traj', 'deep'])('a link %s to files of this machine is refused', async (name) => {
    write(`${RUN}/args.yaml`, '');
    link(`${RUN}/${name}`, name === 'deep' ? mine : join(mine, 'secret.json'));
    await expect(findRunDirectories([join(root, 'theirs')])).rejects.toThrow('points outside of');
    // Two folders that the user names are one.
    await expect(findRunDirectories([join(root, 'theirs'), mine])).resolves.toBeInstanceOf(Array);
  });
});

describe('trajectories and logs', () => {
  const from = (format: 'atif' | 'inspect') => {
    const never = () => expect.unreachable();
    const bench = { imports: { importExchanged: never }, databaseUrl: never };
    const request = { batch: 'b', dryRun: false };
    const progress = { signal: new AbortController().signal, onFound: () => undefined, onDirectory: () => undefined };
    return importExchanged(bench, format, [join(root, 'theirs')], request, progress);
  };
  test.each([
    ['atif', 'theirs/a/x.json'],
    ['inspect', 'theirs/a/x.eval'],
  ] as const)('a link of %s to a file of this machine is refused before anything is read', async (format, path) => {
    link(path, join(mine, 'secret.json'));
    await expect(from(format)).rejects.toThrow('points outside of');
  });

  test('a pipe, which never ends, is no trajectory', async () => {
    mkdirSync(join(root, 'theirs'));
    execFileSync('mkfifo', [join(root, 'theirs/x.json')]);
    await expect(from('atif')).rejects.toThrow('no ATIF trajectory');
  });

  test.each(['result.json', 'agent/trajectory.json', 'agent', 'steps/one/agent'])(
    'a trial whose %s is a link to files of this machine is refused',
    async (path) => {
      write('mine/trajectory.json', '{"agent": {}}');
      if (path !== 'agent') write('theirs/agent/other.txt', '');
      link(`theirs/${path}`, path.endsWith('.json') ? join(mine, 'secret.json') : mine);
      await expect(readTrial(join(root, 'theirs'), new Remarks('x'))).rejects.toThrow('points outside of the folder');
    },
  );
});
