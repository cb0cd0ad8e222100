import { spawn } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { findProcesses, identify, isAlive, signal, waitUntilGone } from '../../../services/process-identity.js';

describe('process identity', () => {
  it('names this process, and the same one each time', () => {
    expect(isAlive(identify(process.pid))).toBe(true);
    expect(identify(process.pid)).toEqual(identify(process.pid));
  });

  it('does not take a stranger with the same id for the process, nor signal it', () => {
    const stranger = { pid: process.pid, startTime: 'another' };
    expect(isAlive(stranger)).toBe(false);
    expect(signal(stranger, 'SIGKILL')).toBe(false);
  });

  it('sees a process that ended, and none where there is none', async () => {
    const child = spawn('sleep', ['60']);
    const identity = identify(child.pid ?? 0);
    expect(isAlive(identity)).toBe(true);
    signal(identity, 'SIGKILL');
    expect(await waitUntilGone(identity ?? { pid: 0, startTime: '' }, 10_000)).toBe(true);
    expect(identify(2 ** 22 + 1)).toBeNull();
  });

  it.runIf(process.platform === 'linux')('takes a zombie for dead', async () => {
    // The shell starts a child, then execs a program that does not know, or wait for, it.
    const parent = spawn('sh', ['-c', 'sleep 0.1 & echo $!; exec sleep 60'], { stdio: ['ignore', 'pipe', 'ignore'] });
    const pid = await new Promise<number>((resolve) => parent.stdout.once('data', (text) => resolve(Number(text))));
    try {
      await expect.poll(() => identify(pid)).toBeNull();
      expect(() => process.kill(pid, 0)).not.toThrow();
    } finally {
      parent.kill('SIGKILL');
    }
  });

  it.runIf(process.platform === 'linux')('finds processes by what /proc says of them', () => {
    expect(findProcesses((pid) => pid === process.ppid).map(({ pid }) => pid)).toEqual([process.ppid]);
  });
});
