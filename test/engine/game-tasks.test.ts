import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Docker from 'dockerode';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDockerEvaluator } from '../../backends/docker/evaluator.js';
import { ensureImage } from '../../backends/docker/images.js';
import { createLocalEvaluator } from '../../backends/local/evaluator.js';
import type { EvaluatorPort } from '../../domain/ports/evaluator-port.js';
import { LONG } from '../setup/long.js';
import { gameJob, REPOSITORY } from './evaluation-job.js';

type Strategy = Parameters<typeof gameJob>[1];

async function score(port: EvaluatorPort, game: string, strategy: Strategy): Promise<number> {
  const job = await gameJob(game, strategy);
  const outcome = await port.evaluate(job, new AbortController().signal);
  expect(outcome).toMatchObject({ kind: 'ok' });
  return outcome.kind === 'ok' ? (outcome.metrics[job.task.primary] ?? NaN) : NaN;
}

const playing = (move: string): Strategy => ({ code: `def row_strategy(history):\n    return ${move}\n` });

let scratchDir: string;
let local: EvaluatorPort;
beforeAll(async () => {
  scratchDir = await mkdtemp(join(tmpdir(), 'bench-test-games-'));
  local = createLocalEvaluator({ assetsRoot: REPOSITORY, scratchDir, home: scratchDir });
});
afterAll(() => rm(scratchDir, { recursive: true, force: true }));

describe('known values of the games, within three standard errors', () => {
  const further: [string, string, Strategy, number, number][] = [
    ['prisonersDilemma', 'the starter', 'starter', 2.37752, 0.0049],
    ['blotto', 'the starter', 'starter', -0.24807, 0.0023],
    ['prisonersDilemma', 'always cooperating', playing('0'), 2.24782, 0.0046],
    ['prisonersDilemma', 'alternating', playing('len(history) % 2'), 2.42683, 0.0055],
    ['blotto', 'an even placement', playing('(20,) * 6'), -0.0035, 0.0023],
  ];
  // Exact values and long runs: see the tasks' README.md.
  it.each<[string, string, Strategy, number, number]>([
    ['battleOfSexes', 'the starter', 'starter', 1.02104, 0.0033],
    ['battleOfSexes', 'the oracle', 'oracle', 1.44, 0.0024],
    ['prisonersDilemma', 'the oracle', 'oracle', 2.62514, 0.0058],
    ['blotto', 'the oracle', 'oracle', 0.24753, 0.0023],
    ['blotto', 'no soldiers', playing('[0] * 6'), -1, 1e-9],
    ...(LONG ? further : []),
  ])('%s: %s', async (game, _, strategy, value, standardError) => {
    expect(Math.abs((await score(local, game, strategy)) - value)).toBeLessThan(3 * standardError);
  });

  it('are the same in containers', async () => {
    const docker = new Docker();
    const { ref } = await ensureImage(docker, 'evaluator', { assetsRoot: REPOSITORY });
    const port = createDockerEvaluator({ docker, imageRef: ref, homeTag: `test-${process.pid}` });
    expect(await score(port, 'blotto', 'oracle')).toBe(await score(local, 'blotto', 'oracle'));
  });
});

describe('placements that blotto refuses', () => {
  it.each([
    ['fewer fields', '[120]', 'a list of 6 integers'],
    ['more fields', '[0] * 6 + [120]', 'a list of 6 integers'],
    ['too many soldiers', '[20, 20, 20, 20, 20, 21]', '121 soldiers in all, but there are only 120'],
    ['a negative number', '[121, -1, 0, 0, 0, 0]', 'an integer from 0 to 120'],
    ['a fraction', '[20.0] * 6', 'an integer from 0 to 120'],
    ['a number', '120', 'a list of 6 integers'],
    ['nothing', 'None', 'a list of 6 integers'],
  ])('%s', async (_, move, reason) => {
    const outcome = await local.evaluate(await gameJob('blotto', playing(move)), new AbortController().signal);
    expect(outcome).toMatchObject({ kind: 'rejected' });
    expect((outcome as { message: string }).message).toContain(reason);
  });
});
