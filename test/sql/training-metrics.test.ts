import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type Database, openDatabase } from '../../db/index.js';
import { groupMetricsSchema, policyMetricsSchema } from '../../domain/views/training.js';
import { sharedDatabases } from '../setup/shared-databases.js';
import { type MadeEpisode, makeEpisodes, overAt, startedAt, storeEpisodes, taskName } from './training-episodes.js';
import { currentAt, figuresOf, groupsOf, mean, spread, versionOf, zeroSpread } from './training-oracle.js';

const SEED = Number(process.env['BENCH_TRAINING_SEED'] ?? 1);

const server = sharedDatabases();
let db: Database;
let batchId = '';
const episodes = makeEpisodes(SEED, 120);
beforeAll(async () => {
  db = openDatabase(await server.createDatabase());
  batchId = await storeEpisodes(db, 'training', episodes);
  await storeEpisodes(db, 'another', makeEpisodes(SEED + 1, 5));
});
afterAll(() => db.close());

type Row = Record<string, number | string | boolean | null>;
const rows = async (text: string, values: unknown[] = [batchId]): Promise<Row[]> =>
  (await db.pool.query<Row>(text, values)).rows;
const near = (found: unknown, expected: number | null, what: string) =>
  expected === null ? expect(found, what).toBeNull() : expect(found, what).toBeCloseTo(expected, 6);
const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);

describe(`figures of training (seed ${SEED}, BENCH_TRAINING_SEED)`, () => {
  test('of each episode are those that it was made of', async () => {
    const found = new Map(
      (await rows('select * from episode_metrics where batch_id = $1')).map((row) => [row['run_id'], row]),
    );
    expect(found.size).toBe(episodes.length);
    for (const episode of episodes) {
      const row = found.get(episode.runId)!;
      const { actions } = episode;
      const figures = figuresOf(episode);
      const executed = actions.filter(({ malformed }) => !malformed);
      expect(row, JSON.stringify(episode)).toMatchObject({
        ...{
          batch_id: batchId,
          episode_id: `e-${episode.runId}`,
          task: taskName(episode, 'training'),
          group_key: episode.group,
        },
        ...{
          policy_version: versionOf(episode),
          last_policy_version: actions.at(-1)?.policyVersion ?? episode.resetVersion,
        },
        ...{ reward: figures.reward, gain: figures.gain, errored: figures.errored, abandoned: figures.abandoned },
        ...{ masked: figures.masked, is_terminated: figures.terminated, is_truncated: figures.truncation !== null },
        ...{ truncation_cause: figures.truncation, end_reason: episode.end, num_turns: actions.length },
        ...{ format_errors: figures.formatErrors, reply_chars: String(sum(actions.map(({ text }) => text.length))) },
        ...{ commands: executed.length, failed_commands: actions.filter(({ failed }) => failed).length },
        ...{ validations: actions.filter(({ validated }) => validated !== null).length, reset_ms: episode.resetMs },
      });
      const started = startedAt(episode);
      near(row['queue_ms'], started === null ? null : started - episode.createdAt, 'queue_ms');
      const first = actions.find(({ malformed }) => !malformed);
      near(row['first_command_ms'], first?.step === 1 ? first.queue + first.command : null, 'first_command_ms');
      expect(row['fork_ms']).toBeNull();
    }
  });

  test('are times of actions that add up to how long each took', async () => {
    const found = await rows(
      'select * from episode_times(array(select run_id from runs where batch_id = $1)) order by run_id, seq',
    );
    expect(found).toHaveLength(sum(episodes.map(({ actions }) => actions.length)));
    for (const episode of episodes) {
      const own = found.filter((row) => row['run_id'] === episode.runId);
      episode.actions.forEach((action, at) => {
        const row = own[at]!;
        near(row['think_ms'], action.think, 'think');
        near(row['queue_ms'], action.queue, 'queue');
        near(row['command_ms'], action.command, 'command');
        near(row['evaluation_ms'], (action.validated?.ms ?? 0) + action.hidden, 'evaluation');
        near(row['platform_ms'], action.platform, 'platform');
        expect(row['policy_version']).toBe(action.policyVersion);
      });
    }
  });

  test('of groups have the spread of the rewards that one policy began', async () => {
    const found = await rows('select * from episode_groups where batch_id = $1');
    const expected = groupsOf(episodes);
    expect(found).toHaveLength(expected.length);
    for (const group of expected) {
      const [first] = group as [MadeEpisode];
      const row = found.find(
        (one) =>
          one['policy_version'] === versionOf(first) &&
          one['task'] === taskName(first, 'training') &&
          one['group_key'] === first.group &&
          (first.group !== null || one['seed'] === String(first.seed)),
      )!;
      const rewards = group.flatMap((one) => figuresOf(one).reward ?? []);
      expect(row).toMatchObject({ episodes: group.length, rewarded: rewards.length, zero_spread: zeroSpread(group) });
      near(row['reward'], mean(rewards), 'reward');
      near(row['reward_std'], spread(rewards), 'reward_std');
      near(row['reward_min'], rewards.length === 0 ? null : Math.min(...rewards), 'reward_min');
      near(row['reward_max'], rewards.length === 0 ? null : Math.max(...rewards), 'reward_max');
    }
    expect(found.some((row) => row['zero_spread'] === true)).toBe(true);
    expect(found.some((row) => row['zero_spread'] === false)).toBe(true);
  });

  test('of policies count episodes for the one that began them, and actions for the one that chose them', async () => {
    const found = await rows('select * from policy_metrics where batch_id = $1');
    const versions = new Set(
      episodes.flatMap((episode) => [versionOf(episode), ...episode.actions.map((action) => action.policyVersion)]),
    );
    expect(new Set(found.map((row) => row['policy_version']))).toEqual(versions);
    for (const version of versions) {
      const row = found.find((one) => one['policy_version'] === version)!;
      const own = episodes.filter((one) => versionOf(one) === version);
      const figures = own.map(figuresOf);
      const rewards = figures.flatMap(({ reward }) => reward ?? []);
      const ended = own.filter(({ end }) => end !== null);
      const causes: Record<string, number> = {};
      for (const { truncation } of figures) if (truncation !== null) causes[truncation] = (causes[truncation] ?? 0) + 1;
      expect(row).toMatchObject({
        ...{ episodes: own.length, ended: ended.length, rewarded: rewards.length, truncations: causes },
        terminated: figures.filter(({ terminated }) => terminated).length,
        errored_rollouts: figures.filter(({ errored }) => errored).length,
        abandoned: figures.filter(({ abandoned }) => abandoned).length,
        masked: figures.filter(({ masked }) => masked).length,
      });
      near(row['reward'], mean(rewards), 'reward');
      near(row['reward_std'], spread(rewards), 'reward_std');
      near(row['gain'], mean(figures.map(({ gain }) => gain)), 'gain');
      near(row['is_truncated'], ended.length === 0 ? null : sum(Object.values(causes)) / ended.length, 'is_truncated');
      const spreads = groupsOf(own).flatMap((group) => zeroSpread(group) ?? []);
      expect(row['groups']).toBe(spreads.length);
      near(row['frac_reward_zero_std'], mean(spreads.map(Number)), 'frac_reward_zero_std');
      near(row['num_turns'], mean(own.map(({ actions }) => actions.length)), 'num_turns');
      const turns = sum(own.map(({ actions }) => actions.length));
      near(
        row['format_error_share'],
        turns === 0 ? null : sum(figures.map(({ formatErrors }) => formatErrors)) / turns,
        'format',
      );
      const commands = own.flatMap(({ actions }) => actions.filter(({ malformed }) => !malformed));
      near(row['tools_call_frequency'], own.length === 0 ? null : commands.length / own.length, 'calls');
      near(row['tools_failure_frequency'], mean(commands.map(({ failed }) => Number(failed))), 'failures');
      const chosen = episodes.flatMap((episode) =>
        episode.actions.flatMap((action) =>
          action.policyVersion === version ? [{ action, current: currentAt(episode, episodes) }] : [],
        ),
      );
      const stale = version === null ? [] : chosen.map(({ current }) => current! - version);
      expect(row).toMatchObject({
        actions: chosen.length,
        staleness_max: stale.length === 0 ? null : Math.max(...stale),
      });
      near(row['staleness'], mean(stale), 'staleness');
      for (const part of ['think', 'command', 'platform'] as const)
        near(row[`${part}_ms`], mean(chosen.map(({ action }) => action[part])), part);
    }
    expect(found.some((row) => Number(row['staleness']) > 0)).toBe(true);
  });

  test('are told to trainers by names of TRL', async () => {
    const [policies, groups] = await Promise.all([db.queries.policyMetrics(batchId), db.queries.groupMetrics(batchId)]);
    expect(() => z.array(policyMetricsSchema).parse(policies)).not.toThrow();
    expect(() => z.array(groupMetricsSchema).parse(groups)).not.toThrow();
    expect(policies[0]).toMatchObject({
      policy_version: null,
      'tools/failure_frequency': expect.any(Number) as number,
    });
    expect(groups).toHaveLength(groupsOf(episodes).length);
    const states = await db.queries.episodeStates(batchId);
    expect(states.ended).toMatchObject({ submit: episodes.filter(({ end }) => end === 'submit').length });
  });

  test('are in the status of the batch: what is open, and the mean reward of those that ended last', async () => {
    const status = await db.queries.batchStatus(batchId);
    const ended = episodes
      .filter(({ end }) => end !== null)
      .sort((a, b) => overAt(b) - overAt(a))
      .slice(0, 100);
    expect(status).toMatchObject({ training: true, episodes: { ended: status.ended, latest: ended.length } });
    near(status.episodes!.reward, mean(ended.map((one) => figuresOf(one).reward)), 'reward');
    expect(status.episodes!.open).toBe(episodes.filter(({ end }) => end === null).length);
  });

  test('of states count what is open, by what it waits for', async () => {
    const open = episodes.filter(({ end }) => end === null);
    const acted = open.filter(({ actions }) => actions.length > 0);
    const [gone, ...there] = acted as [MadeEpisode];
    await db.pool.query('update episodes set detached_at = now() where run_id = $1', [gone.runId]);
    const [unseen] = open.filter(({ actions }) => actions.length === 0);
    if (unseen !== undefined)
      await db.pool.query('update episodes set requested_at = null where run_id = $1', [unseen.runId]);
    const idle = unseen === undefined ? 0 : 1;
    const counts = { active: there.length, detached: 1, idle, waiting: open.length - acted.length - idle };
    const [state] = await rows('select * from episode_states where batch_id = $1');
    expect(state).toEqual({
      ...{ batch_id: batchId, slots: 500, open: String(open.length), ended: String(episodes.length - open.length) },
      ...Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, String(count)])),
    });
  });
});
