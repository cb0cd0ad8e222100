import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ensureDisk, unmountDisk, workspaceOn } from '../../backends/docker/workspace-disk.js';
import { AGENT_UID } from '../../domain/run/limits.js';
import { notTested } from '../setup/not-tested.js';

const root = process.getuid?.() === 0;
if (!root) notTested('disks of workspaces', 'only root can mount them');

/** Makes the disk of the named run, and dies at the nth call of one of these. */
const DYING = `
  import fs from 'node:fs';
  import { syncBuiltinESMExports } from 'node:module';
  const [dir, module, nth] = process.argv.slice(1);
  let calls = 0;
  for (const name of ['mkdir', 'chmod', 'chown', 'rename']) {
    const call = fs.promises[name];
    fs.promises[name] = (...args) => (++calls > Number(nth) ? process.kill(process.pid, 'SIGKILL') : call(...args));
  }
  syncBuiltinESMExports();
  const { ensureDisk } = await import(module);
  await ensureDisk(dir, 16);
`;

describe.runIf(root)('the disk of a workspace', () => {
  let parent = '';
  beforeAll(() => {
    parent = mkdtempSync(join(tmpdir(), 'bench-disk-test-'));
  });
  afterAll(() => rmSync(parent, { recursive: true, force: true }));

  it('is one that the agent can write to, wherever a process was killed that made it', async () => {
    const module = resolve('dist/backends/docker/workspace-disk.js');
    let killed = 0;
    for (let nth = 0; ; nth++) {
      const dir = join(parent, String(nth));
      mkdirSync(dir);
      try {
        const { signal } = spawnSync(process.execPath, ['--input-type=module', '-e', DYING, dir, module, String(nth)]);
        await ensureDisk(dir, 16);
        const workspace = workspaceOn(dir) ?? '';
        const own = { uid: AGENT_UID, gid: AGENT_UID, mode: 0o40755 };
        expect([nth, statSync(workspace), statSync(join(workspace, '..'))]).toMatchObject([nth, own, own]);
        expect(statSync(join(workspace, '../../tmp'))).toMatchObject({ uid: 0, mode: 0o41777 });
        execFileSync('setpriv', ['--reuid', String(AGENT_UID), '--clear-groups', 'touch', 'written'], {
          cwd: workspace,
        });
        if (signal === null) break;
        killed += 1;
      } finally {
        await unmountDisk(dir);
      }
    }
    expect(killed).toBeGreaterThan(10);
  });
});
