import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { pythonWith } from '../../setup/python-tools.js';
import { promptOf, pythonOf, REPOSITORY, taskSpec, taskText } from './task-python.js';

const GYMNASIUM = join(REPOSITORY, 'test', 'fixtures', 'gymnasium', 'mountain-car.json');
const TASKS = [
  { task: 'rlMountainCarContinuous', horizon: 200 },
  { task: 'rlMountainCarContinuousReinforce', horizon: 200 },
  { task: 'rlMetaMazeMisc', horizon: 199 },
  { task: 'rlBreakoutMinAtar', horizon: 999 },
];

/** Python: mean and deviation of returns, mean length, of a policy of (environment, step). */
const RETURNS = `
import random
from environment import *
from bench_tasks.rollouts import mean, deviation
def returns(kind, policy, episodes, horizon):
    totals, lengths = [], []
    for number in range(episodes):
        each, total, ended = kind(random.Random(number)), 0.0, False
        for step in range(horizon):
            reward, ended = each.step(policy(each, step))
            total += reward
            if ended:
                break
        totals.append(total)
        lengths.append(step + 1)
    return [mean(totals), deviation(totals), mean(lengths)]
chance = random.Random(7)
`;

const python = await pythonWith('numpy', 'environments of agents against those that score them');

describe.each(TASKS)('$task', ({ task, horizon }) => {
  it('tells the agent the horizon, the checkpoints and the limits that the referee keeps', () => {
    const prompt = promptOf(task);
    const { timeoutSeconds, memoryMb } = taskSpec(task).evaluator as { timeoutSeconds: number; memoryMb: number };
    for (const fact of [`after ${horizon} steps`, `${timeoutSeconds} seconds`, `${memoryMb} MB`, '1,280 episodes'])
      expect(prompt.replace(/\s+/g, ' ')).toContain(fact);
    for (const [file, name] of [
      ['evaluator/referee.py', 'HORIZON'],
      ['starter/environment.py', 'HORIZON'],
      ['prepare.py', 'CHECKPOINTS, HORIZON'],
    ] as const)
      expect(taskText(task, file)).toMatch(new RegExp(`^${name} = (5, )?${horizon}$`, 'm'));
  });

  it('plays five checkpoints, each by a new process on beginnings of its own, and gives mean and deviation of all returns', async () => {
    const found = (await pythonOf(
      task,
      `
import os, tempfile
import referee
from bench_tasks.hidden_random import HiddenRandom
os.chdir(tempfile.mkdtemp())
with open("settings.json", "w") as file:
    json.dump({"seeds": 2, "environments": 3}, file)
referee.HORIZON = 20
class Player:
    rng, context, first, asked, renewed = HiddenRandom("05"), "", {}, 0, 0
    def renew(self):
        self.renewed += 1
    def play(self, checkpoint, observations, new):
        self.asked += 1
        if new:
            self.first[checkpoint] = observations.hex()
        return [checkpoint % 2] * 6
    def ask(self, *question, seconds, max_bytes):
        return self.play(*question)
    def ask_floats(self, number, *question, seconds):
        return self.play(*question)
player = Player()
metrics = referee.evaluate(player)
print(json.dumps([metrics, list(player.first), len(set(player.first.values())), player.asked, player.renewed]))`,
    )) as [Record<string, number>, number[], number, number, number];
    const [metrics, checkpoints, beginnings, asked, renewed] = found;
    expect(Object.keys(metrics)).toEqual(['Reward Mean', 'Reward Std']);
    for (const value of Object.values(metrics)) expect(Number.isFinite(value)).toBe(true);
    expect(checkpoints).toEqual([0, 1, 2, 3, 4]);
    // Every maze looks the same at first, and a ball comes from one of two sides.
    if (task !== 'rlMetaMazeMisc') expect(beginnings).toBeGreaterThan(1);
    expect(renewed).toBe(5);
    expect(asked).toBeGreaterThan(20);
    expect(asked).toBeLessThanOrEqual(100);
  });

  it.skipIf(python === null)('gives agents an environment that does the same, step by step', async () => {
    const copy = { rlMetaMazeMisc: 'MetaMaze', rlBreakoutMinAtar: 'Breakout' }[task] ?? 'MountainCar';
    const found = await pythonOf(
      task,
      `
import importlib.util, random
import numpy as np
def load(folder):
    spec = importlib.util.spec_from_file_location(folder, ${JSON.stringify(join(REPOSITORY, 'configs', 'tasks', task))} + "/" + folder + "/environment.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
ours, theirs = load("evaluator"), load("starter")
many = theirs.${copy}(40, seed=3)
many.reset()
chance = random.Random(1)
each = [ours.${copy}(random.Random(number)) for number in range(many.count)]
# The copy begins where ours begin, and jumps where ours jump.
for index, one in enumerate(each):
    if "${copy}" == "MountainCar":
        many.position[index] = one.position
    elif "${copy}" == "Breakout":
        many.column[index] = many.old_column[index] = one.column
        many.across[index] = one.across
    else:
        many.goal[index] = np.array(ours.CELLS[one.goal]) + 1
def same():
    dtype = np.uint8 if "${copy}" == "Breakout" else "<f4"
    expected = np.stack([np.frombuffer(one.observation(), dtype) for one in each])
    assert many.observations().reshape(expected.shape).tobytes() == expected.tobytes() or np.abs(many.observations().reshape(expected.shape) - expected).max() < 1e-6
same()
ended = np.zeros(many.count, dtype=bool)
steps = 0
for step in range(150):
    if "${copy}" == "MountainCar":
        chosen = [12 * chance.random() - 6 if number % 2 else (1 if one.velocity > 0 else -1) for number, one in enumerate(each)]
    elif "${copy}" == "Breakout":
        # Mostly after the ball, so that games last.
        chosen = [chance.randrange(3) if chance.random() < 0.1 else (one.column < one.paddle) + 2 * (one.column > one.paddle) for one in each]
    else:
        chosen = [chance.randrange(4) for one in each]
    before = ended.copy()
    rewards = np.zeros(many.count)
    for index, one in enumerate(each):
        if not before[index]:
            rewards[index], over = one.step(chosen[index])
            ended[index] |= over
            steps += 1
    if "${copy}" == "MetaMaze":
        many.any_cells = lambda: np.array([ours.CELLS[one.place] for one in each]) + 1
    _, got, over = many.step(chosen)
    assert np.allclose(got, rewards, atol=1e-9), (step, got - rewards)
    assert (over == ended).all(), step
    same()
print(json.dumps(steps))`,
      { python: python ?? 'python3' },
    );
    expect(found).toBeGreaterThan(1000);
  });
});

describe('the mountain car', () => {
  it('moves as in gymnasium, step by step, but at the left wall', async () => {
    const found = (await pythonOf(
      'rlMountainCarContinuous',
      `
import random
from environment import *
with open(${JSON.stringify(GYMNASIUM)}) as file:
    episodes = json.load(file)["episodes"]
steps = walls = 0
worst = 0.0
for episode in episodes.values():
    position, velocity = episode["start"]
    for action, *after, reward, terminated in episode["steps"]:
        car = MountainCar(random.Random(0))
        car.position, car.velocity = position, velocity
        got, ended = car.step(action)
        assert ended == terminated and abs(got - reward) < 1e-4, (got, reward)
        assert abs(car.position - after[0]) < 1e-6
        if after[0] <= LEFT + 1e-6:
            # There gymnasium stops the car; ours goes on pushing against the wall.
            walls += 1
            assert after[1] == 0 and car.velocity < 0
        else:
            worst = max(worst, abs(car.velocity - after[1]))
        position, velocity = after
        steps += 1
print(json.dumps([steps, walls, worst]))`,
    )) as [number, number, number];
    const { episodes } = JSON.parse(readFileSync(GYMNASIUM, 'utf8')) as {
      episodes: Record<string, { steps: unknown[] }>;
    };
    expect(found[0]).toBe(Object.values(episodes).reduce((sum, { steps }) => sum + steps.length, 0));
    expect(found[1]).toBeGreaterThan(0);
    expect(found[2]).toBeLessThan(1e-6);
  });

  it('gives simple policies the known returns', async () => {
    const found = (await pythonOf(
      'rlMountainCarContinuous',
      `${RETURNS}
class Stopped(MountainCar):
    """With gymnasium's rule at the left wall."""
    def step(self, action):
        result = super().step(action)
        if self.position <= LEFT:
            self.velocity = max(self.velocity, 0.0)
        return result
full = lambda car, step: 1.0 if car.velocity >= 0 else -1.0
print(json.dumps([
    returns(MountainCar, lambda car, step: 0.0, 50, 200),
    returns(Stopped, full, 400, 200),
    returns(MountainCar, full, 400, 200),
    returns(MountainCar, lambda car, step: 1e6, 20, 200),
]))`,
    )) as [number, number, number][];
    const [still, stopped, full, huge] = found;
    expect(still).toEqual([0, 0, 200]);
    expect(Math.abs(stopped![0] - 89.4)).toBeLessThan(0.3);
    expect(Math.abs(stopped![2] - 106)).toBeLessThan(2);
    // It loses time at the wall.
    expect(Math.abs(full![0] - 82.9)).toBeLessThan(0.3);
    expect(huge!.slice(0, 2)).toEqual([-2000, 0]);
  });
});

describe('the meta maze', () => {
  it('has 65 open cells, and gives a random walk and the shortest ways the known returns', async () => {
    const [cells, walk, shortest] = (await pythonOf(
      'rlMetaMazeMisc',
      `${RETURNS}
far = len(CELLS)
steps = [[0 if here == goal else far for here in range(far)] for goal in range(far)]
for _ in range(40):
    steps = [[min(row[here], 1 + min(row[there] for there in NEXT[here])) for here in range(far)] for row in steps]
nearest = lambda maze, step: min(range(4), key=lambda action: steps[maze.goal][NEXT[maze.place][action]])
print(json.dumps([far, returns(MetaMaze, lambda maze, step: chance.randrange(4), 1500, 199), returns(MetaMaze, nearest, 300, 199)]))`,
    )) as [number, [number, number, number], [number, number, number]];
    expect(cells).toBe(65);
    expect(Math.abs(walk[0] - 7.8)).toBeLessThan(1);
    expect(Math.abs(walk[1] - 9.5)).toBeLessThan(1);
    expect(Math.abs(shortest[0] - 254)).toBeLessThan(20);
  });

  it('tells what lies around, the last action, its reward, and the time', async () => {
    const found = await pythonOf(
      'rlMetaMazeMisc',
      `
import random, struct
from environment import *
maze = MetaMaze(random.Random(0))
maze.goal = NUMBER[3, 4]
first = struct.unpack("<15f", maze.observation())
reward, ended = maze.step(0)
print(json.dumps([first, struct.unpack("<15f", maze.observation())[9:], reward, ended]))`,
    );
    const pillars = [1, 0, 1, 0, 0, 0, 1, 0, 1];
    expect(found).toEqual([[...pillars, 1, 0, 0, 0, 0, 0], [1, 0, 0, 0, 10, 1], 10, false]);
  });
});

describe('Breakout', () => {
  it('gives chance and a paddle that stays the known returns', async () => {
    const [random, still] = (await pythonOf(
      'rlBreakoutMinAtar',
      `${RETURNS}
print(json.dumps([
    returns(Breakout, lambda board, step: chance.randrange(3), 3000, 999),
    returns(Breakout, lambda board, step: 0, 1500, 999),
]))`,
    )) as [number, number, number][];
    expect(Math.abs(random![0] - 0.38)).toBeLessThan(0.04);
    expect(Math.abs(random![2] - 10)).toBeLessThan(2);
    expect(Math.abs(still![0] - 0.49)).toBeLessThan(0.04);
  });

  it('goes on for ever over a paddle where the ball will land, but in a circle after 18 bricks', async () => {
    const found = await pythonOf(
      'rlBreakoutMinAtar',
      `${RETURNS}
def landing(board):
    row, column, across = board.row, board.column, board.across
    while board.down > 0 and row < 9:
        row, column = row + 1, column + across
        if not 0 <= column < SIZE:
            column, across = column - across, -across
    return column
def policy(board, step):
    place = landing(board)
    return 1 if place < board.paddle else 2 if place > board.paddle else 0
print(json.dumps(returns(Breakout, policy, 6, 999)))`,
    );
    expect(found).toEqual([18, 0, 999]);
  });
});
