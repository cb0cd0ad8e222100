import { resolve } from 'node:path';
import { execa } from 'execa';
import { z } from 'zod';
import { round } from './batch-figures.js';
import type { ConcurrencyFigures } from './concurrency.js';

const PROGRAM = resolve(import.meta.dirname, '../../../benchmarks/throughput/mlgym_steps.py');
const playedSchema = z.object({ counted: z.number(), seconds: z.number() });

export interface MlgymFigures {
  /** The checkout's commit. */
  commit: string;
  image: string;
  steps: number;
  msPerStep: number;
  /** By how many times a step of one run of bench is shorter, with its model call and its records; neither start is counted. */
  ratio: number;
}

/**
 * The same steps in MLGym's environment, from a checkout of it, in a container of `image`; its agent and model, which would
 * add to them, are left out. Throws if not all of them were played.
 */
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
