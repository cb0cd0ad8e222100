import { describe, expect, it } from 'vitest';
import { runPython as python } from './run-python.js';

describe("the referee's library", () => {
  it('draws the same hidden numbers for the same seed, evenly spread', async () => {
    const result = (await python(`
from bench_tasks.hidden_random import HiddenRandom
draw = lambda seed: [HiddenRandom(seed).random() for _ in range(1)] + [HiddenRandom(seed).getrandbits(100)]
rng = HiddenRandom("07")
values = [rng.random() for _ in range(100000)]
dice = [rng.randrange(6) for _ in range(60000)]
print(json.dumps({
  "same": draw("01") == draw("01"), "other": draw("01") == draw("02"),
  "mean": sum(values) / len(values), "inside": all(0 <= value < 1 for value in values),
  "dice": min(dice.count(n) for n in range(6)), "sides": sorted(set(dice)),
  "shuffled": sorted(rng.sample(range(10), 10)),
}))`)) as Record<string, number>;
    expect(result).toMatchObject({
      same: true,
      other: false,
      inside: true,
      sides: [0, 1, 2, 3, 4, 5],
      shuffled: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
    });
    expect(Math.abs((result['mean'] ?? 0) - 0.5)).toBeLessThan(4 * 0.00091);
    expect(result['dice']).toBeGreaterThan(9600);
  });

  it('asks for one move per round, and shows the opponent after the round', async () => {
    expect(
      await python(`
import os, threading
from bench_tasks.games import Choices, Table
question_read, question_write = os.pipe()
answer_read, answer_write = os.pipe()
asked = []
def player():
    length = int.from_bytes(os.read(question_read, 4), "big")
    asked.append(sorted(json.loads(os.read(question_read, length))))
    os.write(answer_write, b"\\x01")
    for move in (0, 1, 1, 0):
        asked.append(os.read(question_read, 1)[0])
        os.write(answer_write, bytes((move,)))
thread = threading.Thread(target=player)
thread.start()
seen = []
def opponent(history, rng):
    seen.append(list(history))
    return 1
table = Table({"seed": "01", "playerSeed": "02", "module": "m", "function": "f", "timeoutSeconds": 100}, answer_read, question_write)
score = table.play_games(moves=Choices(2), rounds=2, games=2, opponent=opponent, payoff=lambda own, other: own + other)
thread.join()
print(json.dumps([asked, seen, score]))`),
    ).toEqual([
      [['count', 'function', 'high', 'low', 'module', 'seed', 'wire'], 255, 1, 255, 1],
      [[], [[0, 1]], [], [[1, 1]]],
      1.5,
    ]);
  });
});
