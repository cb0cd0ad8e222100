import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runPython } from './run-python.js';

const REPOSITORY = join(import.meta.dirname, '..', '..', '..');

const bleu = (captions: string[], references: string[][]): Promise<unknown> =>
  runPython(`
from bench_tasks.bleu import corpus_bleu
print(json.dumps(corpus_bleu(*json.loads(${JSON.stringify(JSON.stringify([captions, references]))}))))`);

describe('corpus BLEU-4', () => {
  it('is what it is by hand', async () => {
    // Precisions 5/6, 3/5, 2/4, 1/3; seven words were wanted, six are there.
    const found = await bleu(['a man rides a brown dog'], [['a man rides a brown horse today']]);
    expect(found).toBeCloseTo(Math.exp(1 - 7 / 6) * ((5 / 6) * (4 / 5) * (3 / 4) * (2 / 3)) ** 0.25, 12);
  });

  it('is what NLTK 3.10 finds, with several references, clipped counts and the nearest length', async () => {
    const captions = [
      'A man is riding a brown horse on the beach.',
      'Two dogs are asleep, the the the dogs!',
      "a cat sits on a red mat near the door of the neighbour's house",
    ];
    const references = [
      [
        'A man rides a brown horse on the beach',
        'The man is riding a brown horse along the sand',
        'someone on a horse',
      ],
      ['two dogs asleep on a sofa', 'Two dogs are asleep on the rug', 'the dogs sleep'],
      ['a cat on a red mat near the door', 'the cat sits on a red rug near the door', 'cat'],
    ];
    expect(await bleu(captions, references)).toBeCloseTo(0.6804599217558919, 12);
  });

  it.each([
    ['the same words', ['Two dogs ran home.'], [['two dogs ran home', 'no']], 1],
    ['four right words nowhere', ['a b c x d e f'], [['a b c y d e f']], 0],
    ['no words', ['...'], [['a cat sat here']], 0],
    ['captions too short for any four words', ['a cat', 'a dog'], [['a cat'], ['a dog']], 0],
  ])('is for %s as expected, without smoothing', async (_, captions, references, expected) => {
    expect(await bleu(captions, references)).toBeCloseTo(expected, 12);
  });

  it('is the definition that agents are given', () => {
    const text = (path: string): string => readFileSync(join(REPOSITORY, path), 'utf8');
    expect(text('configs/tasks/imageCaptioningCOCO/starter/bleu.py')).toBe(
      text('images/evaluator/bench_tasks/bleu.py'),
    );
  });
});
