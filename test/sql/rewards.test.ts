import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../db/index.js';
import {
  DEFAULT_REWARD,
  REMOVED_REWARD_MODES,
  REWARD_PRESETS,
  type RewardInput,
  rewardRequest,
} from '../../domain/requests/reward.js';
import { episodeRewardsSchema } from '../../domain/views/episodes.js';
import { rewardEpisodes } from '../../operations/episodes/reward-episodes.js';
import type { EvaluationKind } from '../../domain/run/run.js';
import type { TaskSpec } from '../../domain/task/task.js';
import { run, submission, task } from '../fixtures/rows.js';
import { pick, seededRandom } from '../setup/random.js';
import { sharedDatabases } from '../setup/shared-databases.js';
import { gainOf, oracle, type OracleEpisode, type OracleReward, worked } from './reward-oracle.js';

const SEED = Number(process.env['BENCH_REWARDS_SEED'] ?? 1);

const server = sharedDatabases();
let db: Database;
beforeAll(async () => {
  db = openDatabase(await server.createDatabase());
});
afterAll(() => db.close());

const rows = async <Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> =>
  (await db.pool.query<Row & Record<string, unknown>>(text, values)).rows;

interface Step {
  run_id: string;
  step: number;
  evaluation: number | null;
  gain: number | null;
  reward: number | null;
  cumulative_reward: number | null;
  format_errors: number;
  fault: string | null;
  parts: Record<string, number> | null;
}
const rewards = (ids: string[], reward: RewardInput = DEFAULT_REWARD) =>
  rows<Step>('select * from episode_rewards($1, $2) order by run_id, step', [ids, reward]);
/** As the reset of an episode asked for it. */
const storedRewards = (ids: string[], reward: OracleReward) =>
  rows<Step>('select * from episode_rewards($1, $2, true) order by run_id, step', [ids, reward]);
interface Return {
  run_id: string;
  reward: number | null;
  gain: number | null;
  steps: number;
  format_errors: number;
  fault: string | null;
}
const returns = (ids: string[], reward: RewardInput = DEFAULT_REWARD) =>
  rows<Return>('select * from episode_returns($1, $2)', [ids, reward]);
const returnOf = async (id: string, reward?: RewardInput) => (await returns([id], reward))[0];
const rewardsOf = async (id: string, reward?: RewardInput) => (await rewards([id], reward)).map((step) => step.reward);

let tasks = 0;
/** Episodes of one task in one batch, stored. */
async function stored(episodes: OracleEpisode[], more: Partial<TaskSpec> = {}): Promise<string[]> {
  const { direction, baseline, target, standardError = 0 } = episodes[0]!;
  const spec = task(`episodes${++tasks}`, direction, {
    ...(baseline === null ? {} : { baseline: { value: baseline, standardError } }),
    ...(target === undefined ? {} : { target: { value: target } }),
    metrics: { score: { direction, description: 'the score' } },
    ...more,
  });
  const batch = submission(null, (id) => episodes.map((_, at) => run(id, spec, 'm', at + 1)));
  await db.intake.submit(batch);
  const ids = batch.runs.map(({ runId }) => runId);
  const shown = spec.splits.includes('validation') ? 'validation' : 'test';
  const steps = episodes.flatMap(({ steps: all }, at) =>
    all.map(({ failed, unusedReplies }, i) => ({ id: ids[at], step: i + 1, code: failed ? 1 : 0, unusedReplies })),
  );
  await db.pool.query(
    `insert into steps (run_id, step, response, thought, action, observation, exit_code)
     select id, step, '', '', 'ls', '', code from jsonb_to_recordset($1) as s (id text, step int, code int)`,
    [JSON.stringify(steps)],
  );
  await db.pool.query(
    `insert into turns (run_id, step, try, messages, reply)
     select id, step, t, '[]', 'x' from jsonb_to_recordset($1) as s (id text, step int, "unusedReplies" int), generate_series(0, "unusedReplies") t`,
    [JSON.stringify(steps)],
  );
  const evaluations = episodes.flatMap(({ evaluations: all }, at) =>
    all.map(({ step, score, unchanged = false }, i) => ({
      ...{ id: ids[at], step, number: i + 1, unchanged, score: typeof score === 'number' ? score : null },
      kind: (all[i - 1]?.step === step ? 'forced' : 'validate') satisfies EvaluationKind,
      status: typeof score === 'number' ? 'ok' : score === 'invalid' ? 'rejected' : score,
    })),
  );
  await db.pool.query(
    `insert into evaluations (run_id, step, kind, split, number, status, primary_score, unchanged, evaluator_version, contract)
     select id, step, kind, $2, number, status, score, unchanged, 'v', 1
     from jsonb_to_recordset($1) as e (id text, step int, kind text, number int, status text, score float8, unchanged bool)`,
    [JSON.stringify(evaluations), shown],
  );
  await db.pool.query(
    `update runs r set step = e.steps, status = case when e.reason is null then 'running' else 'ended' end, end_reason = e.reason,
       final_evaluation = case when e.reason is not null then 'not_run' end
     from jsonb_to_recordset($1) as e (id text, steps int, reason text) where r.run_id = e.id`,
    [JSON.stringify(episodes.map(({ steps: all, end }, at) => ({ id: ids[at], steps: all.length, reason: end })))],
  );
  return ids;
}

const quiet = (count: number) => Array.from({ length: count }, () => ({ failed: false, unusedReplies: 0 }));
const episode = (scores: OracleEpisode['evaluations'][number]['score'][], over: Partial<OracleEpisode> = {}) => ({
  ...{ direction: 'maximize' as const, baseline: 0.5, end: 'submit' },
  steps: quiet(Math.max(scores.length, 1)),
  evaluations: scores.map((score, at) => ({ step: at + 1, score })),
  ...over,
});
const one = async (...given: Parameters<typeof episode>) => (await stored([episode(...given)]))[0]!;

const REQUESTS: RewardInput[] = [
  DEFAULT_REWARD,
  { mode: 'delta_prev', clip: [-0.25, 0.5], format_penalty: 0.1, no_valid_penalty: 1 },
  { mode: 'delta_prev', clip: [0, 1] },
  { mode: 'final', format_penalty: 0.1 },
  { mode: 'best', no_valid_penalty: 0.7, scale: 2, offset: -0.1, error_penalty: 0.3 },
  {
    mode: 'best',
    tiers: [
      { above: 'baseline', reward: 0.3 },
      { at_least: 1.5, reward: 2 },
    ],
    format_penalty: 0.2,
  },
  REWARD_PRESETS['air-agent'],
  REWARD_PRESETS.v6_binary,
  REWARD_PRESETS.v7_fixed_tier,
  REWARD_PRESETS.torchrl,
];

/** Of episodes from before these modes were removed. */
const REMOVED: OracleReward[] = [
  { mode: 'delta_best' },
  { mode: 'delta_best', clip: [0, 1], format_penalty: 0.03 },
  { mode: 'each', clip: [-1, 1] },
  { mode: 'tier', tiers: [{ above: 'baseline', reward: 0.3 }], no_valid_penalty: 0.5 },
];

describe(`random episodes (seed ${SEED}, BENCH_REWARDS_SEED)`, () => {
  const random = seededRandom(SEED);
  const whole = (most: number) => Math.floor(random() * (most + 1));
  const randomEpisode = (
    of: Pick<OracleEpisode, 'direction' | 'baseline' | 'target' | 'standardError'>,
  ): OracleEpisode => {
    const steps = Array.from({ length: 1 + whole(8) }, () => ({
      failed: random() < 0.2,
      unusedReplies: random() < 0.8 ? 0 : whole(2),
    }));
    const evaluations = steps.flatMap((_, at) =>
      random() < 0.5
        ? []
        : Array.from({ length: at === steps.length - 1 && random() < 0.4 ? 2 : 1 }, () => ({
            step: at + 1,
            unchanged: random() < 0.1,
            score:
              random() < 0.7
                ? (random() - 0.3) * 10 ** whole(3)
                : pick(random, ['invalid', 'invalid', 'evaluator_error'] as const),
          })),
    );
    const end =
      random() < 0.7
        ? pick(random, ['submit', 'max_steps', 'forfeit'])
        : pick(random, ['infra_error', 'cancelled', 'budget', null]);
    return { ...of, steps, evaluations, end };
  };
  const families = (
    [
      { direction: 'maximize', baseline: 0.37 },
      { direction: 'maximize', baseline: 1, standardError: 2 },
      { direction: 'minimize', baseline: 1.9 },
      { direction: 'maximize', baseline: 0 },
      { direction: 'minimize', baseline: -3.1, target: -20.7 },
      { direction: 'maximize', baseline: null },
    ] as const
  ).map((of) => Array.from({ length: 40 }, () => randomEpisode(of)));
  const known: { id: string; of: OracleEpisode }[] = [];
  beforeAll(async () => {
    for (const family of families) {
      const ids = await stored(family);
      family.forEach((of, at) => known.push({ id: ids[at]!, of }));
    }
  });

  test.each(REQUESTS)('are paid as the oracle pays them, bit for bit: %j', async (asked) => {
    const ids = known.map(({ id }) => id);
    const reward = rewardRequest(asked);
    const [steps, whole] = await Promise.all([rewards(ids, reward), returns(ids, reward)]);
    for (const { id, of } of known) {
      const expected = oracle(of, reward);
      const found = steps.filter(({ run_id: runId }) => runId === id);
      expect(
        found.map(({ step, gain, reward: paid }) => ({ step, gain, reward: paid })),
        JSON.stringify(of),
      ).toEqual(expected.steps);
      expect(whole.find(({ run_id: runId }) => runId === id)?.reward, JSON.stringify(of)).toBe(expected.whole);
      for (const { reward: paid, parts, fault } of found) {
        if (paid !== null) expect(Object.values(parts!).reduce((a, b) => a + b, 0)).toBeCloseTo(paid, 12);
        if (fault !== null) expect(paid).toBeNull();
      }
    }
  });

  test.each(REMOVED)('of a stored request are paid as the oracle pays them: %j', async (reward) => {
    const steps = await storedRewards(
      known.map(({ id }) => id),
      reward,
    );
    for (const { id, of } of known)
      expect(
        steps.flatMap((row) => (row.run_id === id ? [row.reward] : [])),
        JSON.stringify(of),
      ).toEqual(oracle(of, reward).steps.map((step) => step.reward));
  });

  test('sum up to the gain of the last valid evaluation, bit for bit and in any order', async () => {
    const steps = await rewards(known.map(({ id }) => id));
    let compared = 0;
    for (const { id, of } of known) {
      const paid = steps.flatMap(({ run_id: runId, reward }) => (runId === id && reward !== null ? [reward] : []));
      const last = of.evaluations.filter(({ score }) => typeof score === 'number').at(-1);
      // A fault at the end keeps what its step would have paid.
      if (of.baseline === null || last === undefined || !['submit', 'max_steps', 'forfeit'].includes(of.end ?? ''))
        continue;
      if (of.evaluations.some(({ score }) => score === 'evaluator_error')) continue;
      compared++;
      const gain = gainOf(of, worked(of, last));
      expect(paid.reduce((a, b) => a + b, 0)).toBe(gain);
      expect(paid.reduceRight((a, b) => a + b, 0)).toBe(gain);
    }
    expect(compared).toBeGreaterThan(30);
  });

  test('are paid the same one at a time', async () => {
    const [together] = await Promise.all([returns(known.map(({ id }) => id))]);
    for (const { id } of known.slice(0, 20))
      expect(await returnOf(id)).toEqual(together.find((row) => row.run_id === id));
  });
});

describe('an evaluation', () => {
  test('is paid on the validation split, never on the test split', async () => {
    const [id] = await stored([episode([0.75])], { splits: ['validation', 'test'] });
    await db.pool.query(
      `insert into evaluations (run_id, step, kind, split, number, status, primary_score, evaluator_version, contract)
       values ($1, 1, 'validate', 'test', 1, 'ok', 100, 'v', 1)`,
      [id],
    );
    expect(await rewardsOf(id!)).toEqual([0.5]);
  });

  test('is paid once, also where the forced end scores the same files again', async () => {
    const id = await one([], {
      steps: quiet(1),
      evaluations: [
        { step: 1, score: 0.75 },
        { step: 1, score: 0.75 },
      ],
      end: 'max_steps',
    });
    expect(await rewardsOf(id)).toEqual([0.5]);
    expect(await rewardsOf(id, { mode: 'best' })).toEqual([0.5]);
  });

  test('that has no valid score pays 0, and a step without one null', async () => {
    const id = await one(['invalid', 0.75], { steps: quiet(3) });
    expect(await rewardsOf(id)).toEqual([0, 0.5, null]);
  });

  test('of a score that is no number is invalid', async () => {
    const id = await one([0.75, 1]);
    await db.pool.query('update evaluations set primary_score = null where run_id = $1 and step = 2', [id]);
    expect(await rewards([id])).toMatchObject([{ reward: 0.5 }, { gain: null, reward: 0, fault: null }]);
  });

  test.each([1e300, -1e300, 1.7e308, 1e-300])('of %d makes no query fail', async (score) => {
    expect(await rewardsOf(await one([score]))).toEqual([Math.abs(score) > 1 ? 0 : -1]);
    expect(await rewardsOf(await one([score], { baseline: 1e-300 }))).toEqual([0]);
  });

  test('beyond the bounds of its task pays nothing', async () => {
    const metrics = { score: { direction: 'maximize' as const, description: 'a share', bounds: { max: 1 } } };
    const [id] = await stored([episode([0.75, 1.5])], { metrics });
    expect(await rewardsOf(id!)).toEqual([0.5, 0]);
  });

  test('gains in units of target − baseline, else of the baseline, else of 1', async () => {
    expect(await rewardsOf(await one([0.75], { target: 1.5 }))).toEqual([0.25]);
    expect(await rewardsOf(await one([0.75], { target: 0.5 }))).toEqual([0.5]);
    expect(await rewardsOf(await one([0.75], { baseline: 0 }))).toEqual([0.75]);
    expect(await rewardsOf(await one([1], { baseline: 4, direction: 'minimize' }))).toEqual([0.75]);
  });
});

describe('a fault of ours', () => {
  test.each(['infra_error', 'cancelled', 'config_error', 'budget', 'runtime'])('%s is never a number', async (end) => {
    const id = await one([0.75, 'invalid'], { end });
    for (const reward of REQUESTS.map((asked) => ({ ...rewardRequest(asked), no_valid_penalty: 1 })))
      expect(await returnOf(id, reward)).toMatchObject({ reward: null, fault: end });
    // What was paid before it stays paid.
    expect(await rewardsOf(id)).toEqual([0.5, null]);
  });

  test('of an evaluator is never a number, and no lack of a valid evaluation', async () => {
    const id = await one(['evaluator_error']);
    for (const reward of REQUESTS)
      expect(await returnOf(id, reward)).toMatchObject({ reward: null, fault: 'evaluator_error' });
    expect(await rewardsOf(id, { mode: 'final', no_valid_penalty: 1 })).toEqual([null]);
  });

  test('of an evaluator counts where its score could have: not if a later one replaces it', async () => {
    const id = await one([0.75, 'evaluator_error', 1]);
    expect(await returnOf(id)).toMatchObject({ reward: 1, fault: null });
    expect(await returnOf(id, { mode: 'final' })).toMatchObject({ reward: 1 });
    expect(await returnOf(id, { mode: 'best' })).toMatchObject({ reward: null, fault: 'evaluator_error' });
  });

  test('is a task without a baseline', async () => {
    expect(await returnOf(await one([0.75], { baseline: null }))).toMatchObject({ reward: null, fault: 'no_baseline' });
  });
});

describe('an episode', () => {
  test('without evaluations has no reward, or the penalty for it', async () => {
    const id = await one([]);
    expect(await returnOf(id)).toMatchObject({ reward: null, fault: null });
    expect(await returnOf(id, { mode: 'best', no_valid_penalty: 1 })).toMatchObject({ reward: -1 });
  });

  test('without a step is still one', async () => {
    const id = await one([], { steps: [], end: 'forfeit' });
    expect(await rewards([id], { no_valid_penalty: 1 })).toMatchObject([{ step: 0, reward: -1 }]);
    expect(await returnOf(id, { no_valid_penalty: 1 })).toMatchObject({ steps: 0, reward: -1 });
  });

  test('that goes on has no reward yet, and tells what it has come to', async () => {
    const id = await one([0.75, 0.625], { end: null });
    expect(await returnOf(id, { mode: 'best' })).toMatchObject({ reward: null, fault: null });
    expect((await rewards([id], { mode: 'best' })).map((step) => [step.reward, step.cumulative_reward])).toEqual([
      [null, 0.5],
      [null, 0.5],
    ]);
    expect((await rewards([id])).map((step) => [step.reward, step.cumulative_reward])).toEqual([
      [0.5, 0.5],
      [-0.25, 0.25],
    ]);
  });

  test('pays the format penalty in the step of the malformed reply', async () => {
    const id = await one([0.75, 0.75], {
      steps: [
        { failed: false, unusedReplies: 0 },
        { failed: false, unusedReplies: 2 },
      ],
    });
    expect(await rewards([id], { format_penalty: 0.25 })).toMatchObject([
      { reward: 0.5, format_errors: 0, parts: { evaluation: 0.5 } },
      { reward: -0.5, format_errors: 2, parts: { evaluation: 0, format: -0.5 } },
    ]);
    await db.pool.query('update steps set action = null where run_id = $1 and step = 2', [id]);
    expect(await rewardsOf(id, { format_penalty: 0.25 })).toEqual([0.5, -0.75]);
  });

  test('pays a penalty also before a step of its own, in requeries of paid models', async () => {
    const id = await one([0.75]);
    await db.pool.query(
      `insert into model_calls (run_id, step, try, attempt, provider, model, request_hash, request_messages, status)
       select $1, 1, nth, 1, 'p', 'm', 'hash', 0, 'unconfirmed' from generate_series(0, 1) nth`,
      [id],
    );
    expect(await rewardsOf(id, { format_penalty: 0.25 })).toEqual([0.25]);
  });

  test('that was forked is paid for its own steps, from where it began', async () => {
    const [origin, fork] = await stored([episode([0.75, 1]), episode([0.75, 1])]);
    await db.pool.query('update runs set forked_from = $2, forked_at_step = 1 where run_id = $1', [fork, origin]);
    expect(await rewards([fork!])).toMatchObject([{ step: 2, reward: 0.5 }]);
    expect(await returnOf(fork!)).toMatchObject({ reward: 0.5, steps: 1 });
    await db.pool.query('update runs set replaces = $2 where run_id = $1', [fork, origin]);
    expect(await rewardsOf(fork!)).toEqual([0.5, 0.5]);
  });
});

describe('presets', () => {
  const { v6_binary: binary, v7_fixed_tier: fixed, v8_global_best: best, v9_percentile: percentile } = REWARD_PRESETS;
  const worth = async (score: number | 'invalid', reward: RewardInput) =>
    (await returnOf(await one([score]), reward))?.reward;

  test('air-agent', async () => {
    const steps = [0, 1, 2, 3].map((at) => ({ failed: at === 1, unusedReplies: 0 }));
    const worthOf = async (scores: OracleEpisode['evaluations'][number]['score'][]) =>
      (await returnOf(await one(scores, { steps }), REWARD_PRESETS['air-agent']))?.reward;
    expect(await worthOf([0.7, 0.625])).toBe(5 * 0.125 - 0.5 - 0.5 / 4);
    expect(await worthOf([10])).toBe(1);
    expect(await worthOf([0])).toBe(-1);
    expect(await worthOf([])).toBe(-1);
    expect(await worthOf(['invalid'])).toBe(-1);
  });

  test('tiers with fixed bars', async () => {
    expect(await Promise.all(['invalid' as const, 0.4, 0.5, 0.6].map((s) => worth(s, binary)))).toEqual([
      -0.5, 0, 0, 1,
    ]);
    expect(await Promise.all(['invalid' as const, 0.4, 0.5, 0.88, 0.89].map((s) => worth(s, fixed)))).toEqual([
      -0.5, 0, 0, 0.2, 1,
    ]);
  });

  test('v8_global_best: bars are frozen within a training step', async () => {
    const ids = await stored([0.6, 0.9, 0.7, 0.4, 0.9, 0.8].map((score) => episode([score])));
    const asked = { ...best, reward_batch_size: 2 };
    const found = new Map((await returns(ids, asked)).map((row) => [row.run_id, row.reward]));
    expect(ids.map((id) => found.get(id))).toEqual([1, 1, 0.2, 0, 1, 0.2]);
    expect((await returnOf(ids[2]!, asked))?.reward).toBe(0.2);
  });

  test.each(['maximize', 'minimize'] as const)(
    'v9_percentile: of the last scores, after a warm-up (%s)',
    async (direction) => {
      const sign = direction === 'maximize' ? 1 : -1;
      const scores = [1, 2, 3, 4, 5, 6, 3.2, 3.7, 0.7].map((score) => sign * score);
      const ids = await stored(scores.map((score) => episode([score], { direction, baseline: sign * 0.5 })));
      const asked = { ...percentile, window: 4, warm_up: 4, reward_batch_size: 3 };
      const found = new Map((await returns(ids, asked)).map((row) => [row.run_id, row.reward]));
      // Step 2's window has 3 scores: the bar is the baseline. Step 3's has 3 to 6: 70 % is 5.1.
      expect(ids.map((id) => found.get(id))).toEqual([1, 1, 1, 1, 1, 1, 0.2, 0.2, 0.2]);
      const lower = new Map((await returns(ids, { ...asked, percentile: 20 })).map((row) => [row.run_id, row.reward]));
      expect(ids.slice(6).map((id) => lower.get(id))).toEqual([0.2, 1, 0.2]);
    },
  );

  test('torchrl: a file pays its distance from the baseline once, and its format penalty lands', async () => {
    const steps = quiet(2).map((step) => ({ ...step, unusedReplies: 1 }));
    expect(
      await rewardsOf(await one([0.75, 0.75], { steps }), { ...REWARD_PRESETS.torchrl, format_penalty: 1 }),
    ).toEqual([-0.75, -1]);
  });
});

describe('nothing is paid for noise', () => {
  const PAYING: RewardInput[] = [
    ...REQUESTS.map((reward) => ({ ...reward, offset: reward.offset === undefined ? undefined : 0 })),
    REWARD_PRESETS.v8_global_best,
    REWARD_PRESETS.v9_percentile,
  ].map((reward) => JSON.parse(JSON.stringify({ ...reward, error_penalty: undefined })) as RewardInput);

  test.each(PAYING)('an unchanged submission is paid 0, whatever it scores: %j', async (reward) => {
    const evaluations = [0.9, 0.1, 0.7].map((score, at) => ({ step: at + 1, score, unchanged: true }));
    const id = await one([], { steps: quiet(3), evaluations });
    expect(await returnOf(id, reward)).toMatchObject({ reward: 0, gain: 0 });
  });

  test.each(PAYING)('a score within the noise of the baseline is paid 0: %j', async (reward) => {
    const id = await one([0.59, 0.41, 0.6], { standardError: 0.05 });
    expect(await returnOf(id, reward)).toMatchObject({ reward: 0, gain: 0 });
    const better = await one([0.75], { standardError: 0.05 });
    expect((await returnOf(better, reward))?.reward).toBeGreaterThan(0);
  });

  test.each([[0, 1] as const, [-0.25, 1] as const, [-1, 0.25] as const])(
    'no way up and down earns more than staying up: clip [%d, %d]',
    async (low, high) => {
      const reward: RewardInput = { mode: 'delta_prev', clip: [low, high] };
      const straight = (await returnOf(await one([0.75]), reward))?.reward;
      expect((await returnOf(await one([0.75, 0, 0.75, -9, 0.5, 0.6, 0.75]), reward))?.reward).toBeCloseTo(
        straight!,
        12,
      );
    },
  );

  test('what would pay an unchanged submission is refused in SQL too, and a removed mode by what replaces it', async () => {
    for (const wrong of [
      { mode: 'final', offset: 1 },
      { mode: 'best', scale: -1 },
      { clip: [0.1, 1] },
    ] as RewardInput[])
      await expect(rewards([], wrong)).rejects.toThrow('pays an unchanged submission');
    for (const [mode, instead] of Object.entries(REMOVED_REWARD_MODES))
      await expect(rewards([], { mode } as never), instead).rejects.toThrow(`there is no reward mode ${mode} any more`);
  });
});

test('an unknown mode or key is refused by name', async () => {
  await expect(rewards([], { mode: 'dleta' } as never)).rejects.toThrow('there is no reward mode dleta');
  await expect(rewards([], { mode: 'best', clip_to: 1 } as never)).rejects.toThrow('a reward has no key clip_to');
});

describe('stored episodes', () => {
  test('are rewarded anew by another mode, of a batch or by id, with what they come to together', async () => {
    const ids = await stored([
      episode([1, 0.75]),
      episode([0.75]),
      episode([0.75], { end: 'infra_error' }),
      episode([1], { end: null }),
    ]);
    const [row] = await rows<{ batch_id: string }>('select batch_id from runs where run_id = $1', [ids[0]]);
    const found = await rewardEpisodes(db, { batch: row!.batch_id });
    expect(() => episodeRewardsSchema.parse(found)).not.toThrow();
    expect(found.episodes.map(({ runId, reward }) => [runId, reward])).toEqual(
      ids.map((id, at) => [id, [0.5, 0.5, null, null][at]]),
    );
    expect(found).toMatchObject({ rewarded: 2, faults: 1, open: 1, mean: 0.5, std: 0, min: 0.5, max: 0.5 });

    const best = await rewardEpisodes(db, { runs: ids.slice(0, 1), reward: { mode: 'best' }, steps: true });
    expect(() => episodeRewardsSchema.parse(best)).not.toThrow();
    expect(best.episodes).toMatchObject([
      {
        reward: 1,
        stepList: [
          { step: 1, reward: null, cumulativeReward: 1 },
          { step: 2, reward: 1 },
        ],
      },
    ]);
  });

  test('are refused with a reward that is none, or by an unknown id', async () => {
    await expect(rewardEpisodes(db, { reward: { mode: 'tier' } as never })).rejects.toMatchObject({
      code: 'reward.invalid',
    });
    await expect(rewardEpisodes(db, { runs: ['r-none'] })).rejects.toMatchObject({ type: 'not_found' });
  });
});
