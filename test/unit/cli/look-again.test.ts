import { expect, it } from 'vitest';
import { lookAgain } from '../../../cli/look-again.js';
import { BenchError } from '../../../domain/errors.js';

const away = new BenchError('services', 'squeue failed: the controller does not answer');

/** Looks that end so, one after the other; after them, an end by Ctrl-C. */
async function looks(...outcomes: (Error | null)[]): Promise<{ error: unknown; looked: number; said: string[] }> {
  const said: string[] = [];
  let looked = 0;
  const look = async (): Promise<void> => {
    const outcome = outcomes[looked++];
    if (outcome instanceof Error) throw outcome;
  };
  const pause = async (): Promise<void> => {
    if (looked === outcomes.length) throw new Error('Ctrl-C');
  };
  const error: unknown = await lookAgain(look, { every: 30, once: false, log: (line) => said.push(line), pause }).catch(
    (caught: unknown) => caught,
  );
  return { error, looked, said };
}

it('what is away after the first look is told, and looked at again', async () => {
  const { error, looked, said } = await looks(null, away, null);
  expect({ error: String(error), looked }).toEqual({ error: 'Error: Ctrl-C', looked: 3 });
  expect(said).toEqual(['squeue failed: the controller does not answer; checking again in 30 s']);
});

it('a first look that fails is the end, and so is what waiting does not help', async () => {
  expect(await looks(away, null)).toMatchObject({ error: away, looked: 1, said: [] });
  const wrong = new BenchError('usage', 'no such partition');
  expect(await looks(null, wrong, null)).toMatchObject({ error: wrong, looked: 2, said: [] });
});
