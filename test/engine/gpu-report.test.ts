import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Docker from 'dockerode';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { ensureImage, type BuiltImage } from '../../backends/docker/images.js';
import { createDockerSandbox } from '../../backends/docker/sandbox.js';
import { statusVariables } from '../../domain/agent/messages.js';
import { homeLayout } from '../../domain/home/layout.js';
import type { CommandOutcome, SandboxRef } from '../../domain/ports/sandbox-port.js';
import { REPOSITORY } from './evaluation-job.js';

const homeTag = `testgpu${process.pid}`;
let home: string;
let image: BuiltImage;
/** What the driver's toolkit would mount into the container. */
let tool: string;
let commands = 0;

/** An engine whose GPUs are nothing but their nvidia-smi. */
class EngineWithGpu extends Docker {
  override createContainer(options: Docker.ContainerCreateOptions): Promise<Docker.Container>;
  override createContainer(): never;
  override async createContainer(options?: Docker.ContainerCreateOptions): Promise<Docker.Container> {
    const { DeviceRequests: devices, ...host } = options?.HostConfig ?? {};
    if (devices === undefined) return await super.createContainer({ ...options });
    const mount = { Type: 'bind' as const, Source: tool, Target: '/usr/bin/nvidia-smi', ReadOnly: true };
    return await super.createContainer({
      ...options,
      HostConfig: { ...host, Mounts: [...(host.Mounts ?? []), mount] },
    });
  }
}

const sandbox = () =>
  createDockerSandbox({ docker: new EngineWithGpu(), image: async () => image, layout: homeLayout(home), homeTag });

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'bench-test-gpu-'));
  await mkdir(join(home, 'starter'));
  await writeFile(join(home, 'starter', 'a'), '');
  tool = join(home, 'nvidia-smi');
  image = await ensureImage(new Docker(), 'agent', { assetsRoot: REPOSITORY });
});
afterAll(async () => {
  for (const ref of await sandbox().list()) await sandbox().stop(ref);
  await rm(home, { recursive: true, force: true });
});

/** What it prints is changed in place: the mounted file stays the same one. */
async function driverSays(script: string): Promise<void> {
  await writeFile(tool, `#!/bin/sh\n${script}\n`);
  await chmod(tool, 0o755);
}

async function start(runId: string, gpuDevices: string[]): Promise<SandboxRef> {
  const ref = { runId, epoch: 1 };
  const limits = { memoryMb: 512, cpus: 1, pids: 128 };
  await sandbox().start({ ...ref, starterDir: join(home, 'starter'), limits, network: 'none', gpuDevices });
  return ref;
}

const shell = (ref: SandboxRef, script: string): Promise<CommandOutcome> =>
  sandbox().run(ref, { n: ++commands, script, timeLimitSeconds: 60 }, new AbortController().signal);

/** After some command: a driver that was slow once costs that command's figures. */
const figuresAre = (ref: SandboxRef, gpus: number, figures: string[]): Promise<void> =>
  vi.waitFor(async () => expect(shown(await shell(ref, 'true'), gpus)).toEqual(figures), {
    timeout: 120_000,
    interval: 10,
  });

const shown = ({ toolState }: CommandOutcome, gpus: number) => {
  const { gpuNames, gpuMemory } = statusVariables(toolState, '/', { gpus });
  return [gpuNames, gpuMemory];
};

it('prompts of a run with GPUs show what the driver says after each command', async () => {
  await driverSays('case "$*" in *name,memory.total,memory.used*) echo "Card A, 80000, 12";; esac');
  const ref = await start('gpu-figures', ['0']);
  await figuresAre(ref, 1, ['Card A', '12 of 80000 MB used']);
  await driverSays('echo "Card A, 80000, 40000"; echo "Card, B, 1000, 5"');
  const both = await shell(ref, 'nvidia-smi() { echo "Card Z, 1, 1"; }; PATH=/nowhere; echo two');
  expect(both.output).toBe('two\n');
  await figuresAre(ref, 2, ['Card A, Card, B', '40000 of 80000 MB used, 5 of 1000 MB used']);
});

it.each([
  ['fails', 'exit 9'],
  ['tells no figures', 'echo "Card A, [N/A], [N/A]"'],
  ['hangs', 'exec sleep 600'],
])('a driver that %s costs no command: its figures are unknown', async (name, script) => {
  await driverSays(script);
  const ref = await start(`gpu-${name.replaceAll(' ', '-')}`, ['0']);
  const outcome = await shell(ref, 'echo goes on');
  expect(outcome).toMatchObject({ output: 'goes on\n', exitCode: 0 });
  expect(shown(outcome, 1)).toEqual(['unknown', 'unknown']);
  await driverSays('echo "Card A, 80000, 12"');
  await figuresAre(ref, 1, ['Card A', '12 of 80000 MB used']);
});

it('a run without GPUs asks no driver', async () => {
  await driverSays('echo "Card A, 80000, 12"');
  expect(shown(await shell(await start('gpu-none', []), 'echo x'), 0)).toEqual(['none', 'none']);
});
