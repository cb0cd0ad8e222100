import { resolve } from 'node:path';
import { execa } from 'execa';
import { z } from 'zod';
import { round } from './batch-figures.js';
import type { ConcurrencyFigures } from './concurrency.js';

const PROGRAM = resolve(import.meta.dirname, '../../../benchmarks/throughput/mlgym_steps.py');
const playedSchema = z.object({ counted: z.number(), seconds: z.number() });

export interface MlgymFigures {
  commit: string;
  image: string;
  steps: number;
  msPerStep: number;
  /** MLGym's time per step over bench's, with model call and records, without either start. */
  ratio: number;
}

/** The same steps in MLGym's environment, without its agent and model. Throws unless all ran. */
export async function measureMlgym(
  { checkout, python, image }: { checkout: string; python: string; image: string },
  steps: number,
  ours: ConcurrencyFigures,
): Promise<MlgymFigures> {
  const commit = await execa('git', ['-C', checkout, 'rev-parse', '--short', 'HEAD']);
  const { stdout } = await execa(python, [PROGRAM, resolve(checkout), image, String(steps)], { stderr: 'inherit' });
  const played = playedSchema.parse(JSON.parse(stdout.split('\n').at(-1) ?? ''));
  if (played.counted !== steps) throw new Error(`MLGym counted ${played.counted} steps of ${steps}`);
  const msPerStep = (1000 * played.seconds) / steps;
  return {
    commit: commit.stdout,
    ...{ image, steps, msPerStep: round(msPerStep) },
    ratio: round(msPerStep / (ours.msBetweenSteps ?? NaN)),
  };
}
