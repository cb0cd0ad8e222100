import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { execa } from 'execa';
import { z } from 'zod';
import type { CountingProvider } from '../counting-provider.js';
import { MachineUse } from '../machine-use.js';
import { type Case, round, type SideFigures } from './case.js';

/** Other versions name the arguments of their tools otherwise, which the provider reads. */
export const INSPECT = 'inspect-ai==0.3.285';
const PROGRAM = resolve(import.meta.dirname, '../../../benchmarks/side-by-side/inspect_play.py');
const playedSchema = z.object({
  ...{ status: z.string(), error: z.string().nullable() },
  ...{ counted: z.number(), seconds: z.number(), importSeconds: z.number() },
});

/** A Python that has Inspect and the clients of both wires. */
export async function inspectPython(folder: string): Promise<string> {
  await execa('python3', ['-m', 'venv', folder]);
  const python = join(folder, 'bin/python');
  await execa(python, ['-m', 'pip', 'install', '--quiet', INSPECT, 'openai', 'anthropic'], { stderr: 'inherit' });
  return python;
}

/** The same commands in Inspect AI's local sandbox. Throws unless every command ran. */
export async function playInInspect(python: string, wanted: Case, provider: CountingProvider): Promise<SideFigures> {
  const { model, runs, steps } = wanted;
  const dir = mkdtempSync(join(tmpdir(), 'bench-inspect-'));
  // Inspect runs `bash --login`: a user's own profile must not count.
  const env = { HOME: dir, INSPECT_LOG_DIR: join(dir, 'logs'), PATH: process.env['PATH'] ?? '' };
  try {
    const [use, providerMs] = [new MachineUse(), provider.cpuMs()];
    const { stdout } = await execa(python, [PROGRAM, JSON.stringify({ ...wanted, url: provider.url })], {
      ...{ env, extendEnv: false, cwd: dir, stderr: 'inherit' },
    });
    const { cpuMs, memoryMb } = use.stop();
    const played = playedSchema.parse(JSON.parse(stdout.split('\n').at(-1) ?? ''));
    const { status, error, counted, seconds, importSeconds } = played;
    const asked = model === 'scripted' ? null : await provider.figures();
    const done = asked?.proved ?? counted;
    if (status !== 'success' || done !== runs * steps)
      throw new Error(`Inspect: ${status} (${error ?? 'no error'}), ${done} of ${runs * steps} commands`);
    return {
      ...{ seconds: round(seconds), stepsPerSecond: round((runs * steps) / seconds) },
      cpuMsPerStep: round((cpuMs - importSeconds * 1000 - (provider.cpuMs() - providerMs)) / (runs * steps)),
      ...{ memoryMb: Math.round(memoryMb), overheadMs: asked?.overheadMs ?? null },
    };
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
