import { resolve } from 'node:path';
import { execa } from 'execa';
import { z } from 'zod';
import { round } from './batch-figures.js';
import type { ConcurrencyFigures } from './concurrency.js';

const PROGRAM = resolve(import.meta.dirname, '../../../benchmarks/throughput/inspect_steps.py');
const playedSchema = z.object({ status: z.string(), steps: z.number(), seconds: z.number(), cpu: z.number() });

export interface InspectFigures {
  version: string;
  steps: number;
  stepsPerSecond: number;
  cpuMsPerStep: number;
  /** bench against Inspect, whose steps a crash would lose, in the same run. */
  ratio: { stepsPerSecond: number; cpuMsPerStep: number };
}

/** The same steps in Inspect AI, by a Python that has it. Throws unless all were played. */
export async function measureInspect(
  python: string,
  { concurrent, steps }: { concurrent: number; steps: number },
  ours: ConcurrencyFigures,
): Promise<InspectFigures> {
  const version = await execa(python, ['-c', 'import importlib.metadata as m; print(m.version("inspect-ai"))']);
  const { stdout } = await execa(python, [PROGRAM, String(concurrent), String(steps)], { stderr: 'inherit' });
  const played = playedSchema.parse(JSON.parse(stdout.split('\n').at(-1) ?? ''));
  if (played.status !== 'success' || played.steps !== concurrent * steps)
    throw new Error(`Inspect ended with ${played.status} after ${played.steps} steps`);
  const stepsPerSecond = played.steps / played.seconds;
  const cpuMsPerStep = (1000 * played.cpu) / played.steps;
  return {
    version: version.stdout,
    steps: played.steps,
    ...{ stepsPerSecond: round(stepsPerSecond), cpuMsPerStep: round(cpuMsPerStep) },
    ratio: {
      stepsPerSecond: round(ours.stepsPerSecond / stepsPerSecond),
      cpuMsPerStep: round((ours.cpuMsPerStep['total'] ?? NaN) / cpuMsPerStep),
    },
  };
}
