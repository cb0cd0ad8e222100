import { describe, expect, it } from 'vitest';
import { runPython } from './run-python.js';

const COUNTING = `
from bench_tasks.rollouts import deviation, mean, play_checkpoints, real_numbers, whole_numbers
from bench_tasks.hidden_random import HiddenRandom
class Counting:
    """Pays each action; ends after a number of steps that chance gives."""
    def __init__(self, rng):
        self.left = self.all = 1 + int(rng.random() * 4)
    def observation(self):
        return bytes((self.left,))
    def step(self, action):
        assert self.left > 0
        self.left -= 1
        return action, self.left == 0
class Player:
    def __init__(self):
        self.rng, self.asked, self.context, self.renewed = HiddenRandom("07"), [], "", []
    def renew(self):
        self.renewed.append(len(self.asked))
    def ask(self, *question, seconds, max_bytes):
        self.asked.append([question[0], list(question[1]), question[2], self.context])
        return [question[0] + 1] * len(question[1])
`;

describe('episodes of a policy', () => {
  it('are of their own for every checkpoint, count up to their ends, and stay in their places', async () => {
    const { asked, returns, renewed } = (await runPython(`${COUNTING}
player = Player()
returns = play_checkpoints(player, Counting, whole_numbers(9), checkpoints=2, episodes=5, horizon=3)
print(json.dumps({"asked": player.asked, "returns": returns, "renewed": player.renewed}))`)) as {
      asked: [number, number[], boolean, string][];
      returns: number[];
      renewed: number[];
    };
    // Three steps each, and a new process before each checkpoint's first.
    expect(renewed).toEqual([0, 3]);
    const beginnings = [asked[0]![1], asked[3]![1]];
    expect(beginnings[0]).not.toEqual(beginnings[1]);
    for (const first of beginnings) expect(new Set(first).size).toBeGreaterThan(1);
    expect(asked).toEqual(
      beginnings.flatMap((first, checkpoint) =>
        [0, 1, 2].map((step) => [
          checkpoint,
          first.map((left) => Math.max(0, left - step)),
          step === 0,
          `checkpoint ${checkpoint}, step ${step}`,
        ]),
      ),
    );
    expect(returns).toEqual(
      beginnings.flatMap((first, checkpoint) => first.map((left) => (checkpoint + 1) * Math.min(left, 3))),
    );
  });

  it('are not asked for when all have ended', async () => {
    const asked = await runPython(`${COUNTING}
player = Player()
play_checkpoints(player, Counting, whole_numbers(9), checkpoints=1, episodes=5, horizon=50)
print(json.dumps(len(player.asked)))`);
    expect(asked).toBe(4);
  });

  it('take real numbers only if they are finite, and are told of by mean and deviation', async () => {
    const found = await runPython(`${COUNTING}
class Floats:
    def __init__(self, answer): self.answer = answer
    def ask_floats(self, number, *question, seconds): return self.answer
    def invalid(self, problem): return ValueError(problem)
messages = [real_numbers(Floats([0.5, -7.0]), 2, (), 1)]
for wrong in ("nan", "inf", "-inf"):
    try:
        real_numbers(Floats([0.5, float(wrong)]), 2, (), 1)
    except ValueError as error:
        messages.append(str(error))
print(json.dumps([messages, mean([1, 2, 6]), deviation([1, 2, 6])]))`);
    const refusal = 'an action is not a finite number';
    expect(found).toEqual([[[0.5, -7], refusal, refusal, refusal], 3, expect.closeTo(Math.sqrt(14 / 3), 12)]);
  });

  it('take whole numbers only from the given ones, and say what was expected', async () => {
    const found = (await runPython(`
from bench_tasks.rollouts import whole_numbers
class Player:
    def __init__(self, answer): self.answer = answer
    def ask(self, *question, **limits): return self.answer
    def invalid(self, problem): return ValueError(problem)
messages = []
for answer in ([0, 1], [0, 1, 4], [0, 1, -1], [0, 1, 1.0], [0, 1, True], [0, 1, None], {"a": 1}):
    try:
        messages.append(whole_numbers(4)(Player(answer), 3, (), 1))
    except ValueError as error:
        messages.append(str(error))
print(json.dumps(messages))`)) as string[];
    expect(found[0]).toBe('expected a list of 3 actions, one for each episode; got 2');
    for (const message of found.slice(1, 6)) expect(message).toContain('expected whole numbers from 0 to 3');
    expect(found[6]).toContain('got no list');
  });
});
