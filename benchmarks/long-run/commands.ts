import { resolve } from 'node:path';
import { execa } from 'execa';
import { peakMemoryMb } from '../process-memory.js';
import type { ThrowawayHome } from '../throwaway-home.js';

const MAIN = resolve(import.meta.dirname, '../../cli/main.js');
const LOOK_MS = 20;

export interface CommandFigures {
  command: string;
  ms: number;
  peakMb: number | null;
}

export async function measureCommand(
  home: ThrowawayHome,
  [verb = '', runId = '', ...rest]: string[],
): Promise<CommandFigures> {
  const started = performance.now();
  const child = execa(process.execPath, [MAIN, verb, runId, ...rest], { env: home.env, stdout: 'ignore' });
  let peakMb: number | null = null;
  const look = setInterval(() => (peakMb = peakMemoryMb(child.pid ?? null) ?? peakMb), LOOK_MS);
  await child.finally(() => clearInterval(look));
  return { command: [verb, ...rest].join(' '), ms: Math.round(performance.now() - started), peakMb };
}
