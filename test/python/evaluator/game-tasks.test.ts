import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { promptVariables } from '../../../domain/agent/messages.js';
import { taskSchema } from '../../../domain/task/task.js';
import { loadAgent } from '../../../catalog/index.js';

const REPOSITORY = join(import.meta.dirname, '..', '..', '..');
const folder = (game: string): string => join(REPOSITORY, 'configs', 'tasks', game);

/** Run Python with the game's referee at hand; returns what it prints as JSON. */
async function withReferee(game: string, code: string): Promise<unknown> {
  const places = [join(REPOSITORY, 'images', 'evaluator'), join(folder(game), 'evaluator')];
  const prelude = `import json, sys\nsys.dont_write_bytecode = True\nsys.path[:0] = ${JSON.stringify(places)}\nimport referee\n`;
  const { stdout } = await execa('python3', ['-c', prelude + code]);
  return JSON.parse(stdout);
}

describe.each([
  {
    game: 'battleOfSexes',
    best: 1.44,
    standardError: 0.0024,
    worst: 0.18,
    facts: ['10 rounds', '10,000', '2, 1', '1, 2'],
    secrets: /0\.8|80 ?%|first[- ]round move|first move of/,
  },
  {
    game: 'prisonersDilemma',
    best: 2.62514,
    standardError: 0.0058,
    worst: 2.03562,
    facts: ['10 rounds', '10,000', '3, 3', '0, 5', '5, 0', '1, 1'],
    secrets: /eleven|11|rule is drawn|tit|grim|pavlov|noisy/i,
  },
  {
    game: 'blotto',
    best: 0.2475,
    standardError: 0.0023,
    worst: -1,
    facts: ['10 rounds', '10,000', '120 soldiers', '6 fields', 'exactly 6'],
    secrets: /even draws|ignores|0\.\.120|zero/i,
  },
])('the task $game', ({ game, best, standardError, worst, facts, secrets }) => {
  const task = taskSchema.parse(parse(readFileSync(join(folder(game), 'task.yaml'), 'utf8')));
  if (task.evaluator.kind !== 'game') throw new Error('expected a game');
  const { function: entry, timeoutSeconds, memoryMb } = task.evaluator;
  const text = (file: string): string => readFileSync(join(folder(game), file), 'utf8');

  it('has bounds that no honest score leaves by chance', () => {
    expect(Object.keys(task.metrics)).toEqual([task.primary]);
    const { min = NaN, max = NaN } = task.metrics[task.primary]?.bounds ?? {};
    expect(max).toBeGreaterThan(best + 10 * standardError);
    expect(max).toBeLessThan(best + 20 * standardError);
    // Nothing is worse than losing every round.
    expect(min).toBeLessThanOrEqual(worst === -1 ? -1 : worst - 10 * standardError);
  });

  it('starts the agent with every file that it must submit', () => {
    for (const file of task.submission.files) expect(text(`starter/${file}`)).toContain(entry);
  });

  it('tells the agent the rules and limits that the referee keeps, and nothing of the opponent', () => {
    const run = { task, agent: loadAgent([join(REPOSITORY, 'configs')], 'default').config, maxSteps: 50 };
    const shown = (promptVariables(run, '/w')['task'] as { description: string }).description;
    expect(text('evaluator/referee.py')).toContain('ROUNDS = 10\nGAMES = 10_000');
    for (const fact of [...facts, `${timeoutSeconds} seconds`, `${memoryMb} MB`]) expect(shown).toContain(fact);
    expect(`${shown}${text('starter/strategy.py')}`).not.toMatch(secrets);
  });
});

describe("the prisoner's dilemma's opponent", () => {
  it('has the eleven rules that give the known values', async () => {
    // Exact: all games of a strategy that depends only on the round, weighted by probability.
    const values = await withReferee(
      'prisonersDilemma',
      `
from functools import lru_cache

class Draw:
    def random(self): return self.value

@lru_cache(None)
def chance_of_defecting(rule, history):
    draw, draws, defections = Draw(), 10_000, 0
    for i in range(draws):
        draw.value = (i + 0.5) / draws
        defections += rule(history, draw)
    return defections / draws

def defects(rule, history):
    if rule is referee.noisy:
        return chance_of_defecting(rule, history[-1:])
    if rule is referee.coin:
        return chance_of_defecting(rule, ())
    return rule(history, None)

def value(moves):
    games, total = {(): 1.0}, 0
    for own in moves:
        after = {}
        for history, weight in games.items():
            p = sum(defects(rule, history) for rule in referee.RULES) / len(referee.RULES)
            for other, chance in ((0, 1 - p), (1, p)):
                total += weight * chance * referee.payoff(own, other)
                after[history + ((own, other),)] = weight * chance
        games = after
    return round(total / len(moves), 5)

print(json.dumps([value(moves) for moves in ([1] * 10, [0] * 10, [0, 1] * 5, [0] * 9 + [1])]))
`,
    );
    expect(values).toEqual([2.62514, 2.24782, 2.42683, 2.42421]);
  });
});

describe("blotto's opponent and payoff", () => {
  it('always places all soldiers, spread as known, without a look at the game', async () => {
    const { sums, lengths, means } = (await withReferee(
      'blotto',
      `
from bench_tasks.hidden_random import HiddenRandom
rng = HiddenRandom("05")
drawn = [referee.opponent(None, rng) for _ in range(40_000)]
print(json.dumps({
  "sums": sorted({sum(move) for move in drawn}), "lengths": sorted({len(move) for move in drawn}),
  "means": [sum(sorted(move)[i] for move in drawn) / len(drawn) for i in range(6)],
}))`,
    )) as { sums: number[]; lengths: number[]; means: number[] };
    expect(sums).toEqual([120]);
    expect(lengths).toEqual([6]);
    [5.1, 10.8, 16.6, 22.6, 29.0, 35.9].forEach((mean, i) =>
      expect(Math.abs((means[i] ?? NaN) - mean)).toBeLessThan(0.15),
    );
  });

  it('draws again where all draws are zero', async () => {
    const code = `
class Draw:
    values = [0.0] * 6 + [0.5] * 7
    def random(self): return self.values.pop(0)
print(json.dumps(referee.opponent([], Draw())))`;
    expect(await withReferee('blotto', code)).toEqual([20, 20, 20, 20, 20, 20]);
  });

  it("pays for more fields, not for more soldiers; equal fields are nobody's", async () => {
    const code = `
theirs = [20] * 6
print(json.dumps([referee.payoff(own, theirs) for own in (
  [21, 21, 21, 20, 20, 17], [20] * 6, [0, 0, 30, 30, 30, 30], [120, 0, 0, 0, 0, 0], [21, 19, 20, 20, 20, 20])]))`;
    expect(await withReferee('blotto', code)).toEqual([1, 0, 1, -1, 0]);
  });
});
