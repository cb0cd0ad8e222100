import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { killUntilNone, processesOfUser, usersWithProcesses } from '../../../../backends/local/host-processes.js';

describe('processes of this host', () => {
  it('are found by their user, many callers at once', async () => {
    const uid = process.getuid?.() ?? 0;
    const found = await Promise.all(Array.from({ length: 50 }, () => processesOfUser(uid)));
    for (const pids of found) expect(pids).toContain(process.pid);
    expect(await usersWithProcesses()).toContain(uid);
    expect(await processesOfUser(1_899_999_999)).toEqual([]);
  });

  it('are killed however long it takes to find them', async () => {
    const child = spawn('sleep', ['1000'], { stdio: 'ignore' });
    const ended = once(child, 'exit');
    let gone = false;
    void ended.then(() => (gone = true));
    const slowly = async () => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      return gone ? [] : [child.pid ?? 0];
    };
    // The first look alone takes longer than the whole limit.
    const killing = killUntilNone(slowly, 1);
    await ended;
    expect(child.signalCode).toBe('SIGKILL');
    await killing;
  });

  it('that do not end are told of', async () => {
    // No process has this id.
    await expect(killUntilNone(() => Promise.resolve([2 ** 22 + 1]), 1)).resolves.toBe(false);
  });
});
