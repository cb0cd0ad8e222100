import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { unmountBelow } from '../../benchmarks/unmount-below.js';

/** A test's own container engine, to stop and start under its runs. Needs root. */
export interface PrivateEngine {
  socketPath: string;
  /** SIGKILL, then start again; containers that ran are dead afterwards. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** It has no network, so it disturbs no other engine; copy images into it. */
export async function startPrivateEngine(): Promise<PrivateEngine> {
  const dir = mkdtempSync(join(tmpdir(), 'bench-engine-'));
  const socketPath = join(dir, 'docker.sock');
  const pidFile = join(dir, 'docker.pid');
  const log = openSync(join(dir, 'dockerd.log'), 'a');
  const docker = (...args: string[]) => execa('docker', ['-H', `unix://${socketPath}`, ...args], { reject: false });
  let daemon: ChildProcess;

  async function start(): Promise<void> {
    // Its containerd dies with it, but counts as alive until it is reaped.
    for (const stale of [pidFile, join(dir, 'exec/containerd/containerd.pid')]) rmSync(stale, { force: true });
    const place = ['--data-root', join(dir, 'data'), '--exec-root', join(dir, 'exec'), '--pidfile', pidFile];
    const network = ['--bridge', 'none', '--iptables=false', '--ip6tables=false', '--ip-masq=false'];
    // In its own network namespace: a daemon without a bridge removes the machine's docker0.
    const command = ['--net', 'dockerd', '-H', `unix://${socketPath}`, ...place, ...network];
    daemon = spawn('unshare', command, { stdio: ['ignore', log, log] });
    for (let i = 0; i < 120; i++) {
      if ((await docker('info')).exitCode === 0) return;
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
    throw new Error(`the test's own dockerd does not answer; its log: ${join(dir, 'dockerd.log')}`);
  }

  async function end(signal: NodeJS.Signals): Promise<void> {
    if (daemon.exitCode !== null || daemon.signalCode !== null) return;
    const gone = new Promise((resolve) => daemon.once('exit', resolve));
    daemon.kill(signal);
    await gone;
  }

  await start();
  return {
    socketPath,
    async restart() {
      await end('SIGKILL');
      await start();
    },
    async stop() {
      const { stdout } = await docker('ps', '-aq');
      if (stdout !== '') await docker('rm', '-f', ...stdout.split('\n'));
      await end('SIGTERM');
      // It binds its data folder onto itself; a killed one does not undo that.
      unmountBelow(dir);
      rmSync(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
    },
  };
}
