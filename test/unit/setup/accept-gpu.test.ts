import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';

/** What the check of a host with GPUs says where nvidia-smi does this. */
function checked(nvidiaSmi: string | null) {
  const dir = mkdtempSync(join(tmpdir(), 'bench-test-accept-gpu-'));
  for (const program of ['dirname', 'head', 'bash']) symlinkSync(`/usr/bin/${program}`, join(dir, program));
  if (nvidiaSmi !== null) {
    writeFileSync(join(dir, 'nvidia-smi'), `#!/bin/sh\n${nvidiaSmi}\n`);
    chmodSync(join(dir, 'nvidia-smi'), 0o755);
  }
  const { status, stderr } = spawnSync('/bin/bash', ['scripts/accept/gpu.sh'], {
    env: { PATH: dir },
    encoding: 'utf8',
  });
  rmSync(dir, { recursive: true });
  return { status, stderr };
}

it('the check of a host with GPUs says that it has none, and fails', () => {
  const absent = checked(null);
  expect(absent.status).toBe(3);
  expect(absent.stderr).toContain('no GPU on this host');
  const broken = checked('echo "NVIDIA-SMI has failed"; exit 9');
  expect(broken.status).toBe(3);
  expect(broken.stderr).toContain('no GPU on this host: NVIDIA-SMI has failed');
  expect(checked('echo "GPU 0: NVIDIA H200 (UUID: GPU-a)"')).toMatchObject({ status: 1 });
});
