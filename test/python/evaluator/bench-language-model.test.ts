import { describe, expect, it } from 'vitest';
import { runPython } from './run-python.js';

describe('the loss of a language model', () => {
  it('asks for each token once, by the tokens before it, and leaves out what shorter documents lack', async () => {
    const found = await runPython(`
import array
from bench_tasks.language_model import loss_per_token
asked = []
class Player:
    def ask_floats(self, count, tokens, new, seconds):
        asked.append([tokens, new])
        # Sure that the token is followed by the next one; of token 0, nothing is known.
        rows = [[0.0 if token == 0 else 5.0 * (other == token + 1) for other in range(5)] for token in tokens]
        return array.array("f", [value for row in rows for value in row])
loss = loss_per_token(Player(), [[1, 2], [3], [2, 3, 4], [0, 1]], 5, streams=2)
print(json.dumps([asked, loss]))`);
    const right = Math.log(Math.exp(5) + 4) - 5;
    expect(found).toEqual([
      [
        [[2, 1], true],
        [[3, 2], false],
        [[0], true],
      ],
      expect.closeTo((3 * right + Math.log(5)) / 4, 12),
    ]);
  });

  it('is the same with logits of any size, and one distribution whatever they are', async () => {
    const losses = (await runPython(`
import array
from bench_tasks.language_model import row_losses
rows = [[0.0] * 4, [3e38] * 4, [-3e38] * 4, [1e4, 0, 0, 0], [3e38, -3e38, 0, 0]]
print(json.dumps([row_losses(array.array("f", row), 4, [token]) for row in rows for token in (0, 1)]))`)) as number[][];
    const flat = losses.map(([loss]) => loss);
    expect(flat.slice(0, 6)).toEqual(Array.from({ length: 6 }, () => expect.closeTo(Math.log(4), 12) as number));
    expect(flat.slice(6, 9)).toEqual([0, 1e4, 0]);
    expect(flat[9]).toBeGreaterThan(5.9e38);
  });

  it.each(['nan', 'inf', '-inf'])('refuses %s', async (value) => {
    const code = `
import array
from bench_tasks.language_model import row_losses
try:
    row_losses(array.array("f", [0, float("${value}"), 0]), 3, [0])
except ValueError as error:
    print(json.dumps(str(error)))`;
    expect(await runPython(code)).toBe('a logit is not a finite number');
  });

  it.each([
    ['[[7, 1]]', 'a token is outside the vocabulary of 5'],
    ['[[1]]', 'there is no document of two tokens or more'],
  ])('tells the author of a task about documents like %s', async (documents, reason) => {
    const code = `
from bench_tasks.language_model import loss_per_token
try:
    loss_per_token(None, ${documents}, 5)
except ValueError as error:
    print(json.dumps(str(error)))`;
    expect(await runPython(code)).toBe(reason);
  });
});
