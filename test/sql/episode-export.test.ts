import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../db/index.js';
import type { EpisodeFilter } from '../../domain/requests/episode-list.js';
import {
  type EpisodeLine,
  episodeLineSchema,
  episodesDocumentSchema,
  shownEpisodeSchema,
} from '../../domain/views/training.js';
import type { Bench } from '../../operations/bench.js';
import { episodeLines, exportEpisodes } from '../../operations/episodes/export/export-episodes.js';
import { listEpisodes } from '../../operations/episodes/list-episodes.js';
import { showEpisode } from '../../operations/episodes/show-episode.js';
import { sharedDatabases } from '../setup/shared-databases.js';
import { BASELINE, type MadeEpisode, makeEpisodes, rewardOf, storeEpisodes, taskName } from './training-episodes.js';
import { figuresOf, versionOf } from './training-oracle.js';

const SEED = Number(process.env['BENCH_TRAINING_SEED'] ?? 1);

const server = sharedDatabases();
let db: Database;
const folder = mkdtempSync(join(tmpdir(), 'bench-episodes-'));
const episodes = makeEpisodes(SEED, 60);
beforeAll(async () => {
  db = openDatabase(await server.createDatabase());
  await storeEpisodes(db, 'training', episodes);
  await storeEpisodes(db, 'another', makeEpisodes(SEED + 1, 5));
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await db.close();
});
const bench = () => ({ ...db, database: () => Promise.resolve(db) }) as unknown as Bench;

async function lines(filter: EpisodeFilter = { batch: 'training' }): Promise<EpisodeLine[]> {
  const all: EpisodeLine[] = [];
  for await (const line of episodeLines(bench(), filter)) all.push(episodeLineSchema.parse(line));
  return all;
}

describe('an export of episodes', () => {
  test('has each in the order of resets, with what was said, what it earned, and what not to train on', async () => {
    const found = await lines();
    expect(found.map(({ run_id: id }) => id)).toEqual(episodes.map(({ runId }) => runId));
    found.forEach((line, at) => {
      const { actions, end, ...episode } = episodes[at]!;
      const figures = figuresOf(episodes[at]!);
      expect(line, JSON.stringify(episodes[at])).toMatchObject({
        ...{ reward: figures.reward, gain: figures.gain, masked: figures.masked, errored: figures.errored },
        ...{ end_reason: end, group: episode.group, seed: episode.seed, baseline: BASELINE },
        ...{ policy_version: versionOf(episodes[at]!), num_turns: actions.length },
      });
      expect(line.messages[0]).toMatchObject({ role: 'user', content: expect.stringContaining('s') as string });
      expect(line.actions.map(({ message }) => line.messages[message])).toEqual(
        actions.map(({ text }) => ({ role: 'assistant', content: text })),
      );
      expect(line.actions.map((action) => [action.format_error, action.policy_version, action.mask])).toEqual(
        actions.map((action) => [action.malformed, action.policyVersion, figures.masked ? 0 : 1]),
      );
      const paid = line.actions.flatMap(({ reward }) => reward ?? []);
      // A fault takes the episode's reward, not what was paid before it.
      if (figures.reward !== null) expect(paid.reduce((a, b) => a + b, 0)).toBeCloseTo(figures.reward, 9);
    });
  });

  test('gives each unusable reply its own penalty, and the rest of the step to its last action', async () => {
    const penalised = episodes.filter((episode) => rewardOf(episode).format_penalty !== undefined);
    const found = new Map((await lines()).map((line) => [line.run_id, line]));
    let compared = 0;
    for (const episode of penalised) {
      const { runId, actions } = episode;
      const { actions: told, masked } = found.get(runId)!;
      // What a fault took is not paid, penalties included.
      const taken = new Set(
        actions.flatMap(({ step, validated }) => (validated?.score === 'evaluator_error' ? [step] : [])),
      );
      if (masked) taken.add(actions.at(-1)?.step ?? 0);
      actions.forEach((action, at) => {
        if (taken.has(action.step)) return;
        if (action.malformed && actions[at + 1]?.step === action.step) {
          expect(told[at]!.reward).toBe(-0.125);
          compared++;
        }
        if (!action.malformed && at + 1 < actions.length) {
          const before = actions
            .slice(0, at)
            .flatMap(({ validated }) => (typeof validated?.score === 'number' ? validated.score : []));
          const gain = (score: number) => (score - BASELINE) / BASELINE;
          const score = action.validated?.score;
          const earned = typeof score === 'number' ? gain(score) - (before.length === 0 ? 0 : gain(before.at(-1)!)) : 0;
          expect(told[at]!.reward ?? 0).toBeCloseTo(earned, 9);
        }
      });
    }
    expect(compared).toBeGreaterThan(5);
  });

  test('takes filters: of a group, a policy, a task, open or ended', async () => {
    const runs = async (filter: EpisodeFilter) => (await lines(filter)).map(({ run_id: id }) => id);
    const those = (is: (episode: MadeEpisode) => boolean) => episodes.filter(is).map(({ runId }) => runId);
    const acted = (version: number) => (one: MadeEpisode) =>
      one.resetVersion === version || one.actions.some(({ policyVersion }) => policyVersion === version);
    expect(await runs({ batch: 'training', state: 'open' })).toEqual(those(({ end }) => end === null));
    expect(await runs({ batch: 'training', policyVersion: 3 })).toEqual(those(acted(3)));
    const { group } = episodes.find((one) => one.group !== null)!;
    expect(await runs({ batch: 'training', group: group! })).toEqual(those((one) => one.group === group));
    expect(await runs({ task: taskName(episodes[1]!, 'training') })).toEqual(those(({ task }) => task === 1));
    expect(await lines({})).toHaveLength(65);
    await expect(lines({ batch: 'nope' })).rejects.toMatchObject({ code: 'batch.not_found' });
  });

  test('is a file of lines that appears when it is whole, and is never replaced', async () => {
    const output = join(folder, 'episodes.jsonl');
    const request = { batch: 'training', format: 'jsonl', output } as const;
    expect(await exportEpisodes(bench(), request)).toEqual({ format: 'jsonl', output, episodes: 60 });
    const stored = readFileSync(output, 'utf8').trimEnd().split('\n');
    expect(stored.map((line) => JSON.parse(line) as unknown)).toEqual(await lines());
    await expect(exportEpisodes(bench(), request)).rejects.toMatchObject({ code: 'file.exists' });
  });

  test("is a folder of air-agent's trajectories, each turn with its whole prompt", async () => {
    const output = join(folder, 'trajectories');
    await exportEpisodes(bench(), { batch: 'training', format: 'air-agent', output });
    const files = readdirSync(output);
    expect(files).toHaveLength(60);
    const [line] = (await lines()).filter(
      ({ actions }) => actions.length > 2 && actions.some(({ score }) => score !== null),
    );
    const name = files.find((file) => file.includes(line!.run_id))!;
    expect(name).toMatch(new RegExp(`^${line!.task}_pi${line!.policy_version ?? 0}_\\d{8}_\\d{6}_`));
    interface Trajectory {
      trajectory: { prompt: unknown[]; completion: { role: string; content: string }[]; reward: number | null }[];
      metrics: {
        final_score: number;
        baseline_score: number;
        improvement: number;
        validation_history: [number, number][];
      };
    }
    const saved = JSON.parse(readFileSync(join(output, name), 'utf8')) as Trajectory;
    expect(saved).toMatchObject({
      task: line!.task,
      example_id: line!.episode_id,
      policy_step: line!.policy_version ?? 0,
    });
    saved.trajectory.forEach(({ prompt, completion, reward }, at) => {
      const { message, reward: paid } = line!.actions[at]!;
      expect(prompt).toEqual(line!.messages.slice(0, message));
      expect(completion).toEqual([line!.messages[message]]);
      expect(reward).toBe(paid);
    });
    const made = episodes.find(({ runId }) => runId === line!.run_id)!;
    const history = made.actions.flatMap(({ validated }, at) =>
      typeof validated?.score === 'number' ? [[at + 1, validated.score]] : [],
    );
    expect(saved.metrics.validation_history).toEqual(history);
    expect(saved.metrics.improvement).toBeCloseTo(history.at(-1)![1]! - BASELINE, 9);
  });
});

describe('episodes', () => {
  test('are listed newest first, and told to be more', async () => {
    const found = await listEpisodes(db, { batch: 'training', limit: 10 });
    expect(episodesDocumentSchema.parse(found)).toMatchObject({ more: true });
    expect(found.episodes.map(({ runId }) => runId)).toEqual(
      episodes
        .slice(-10)
        .reverse()
        .map(({ runId }) => runId),
    );
    expect((await listEpisodes(db, { batch: 'training', limit: 60 })).more).toBe(false);
  });

  test('are shown by the id of the trainer or of the run, action by action', async () => {
    const made = episodes.find(({ actions }) => actions.length > 3)!;
    const shown = await showEpisode(db, `e-${made.runId}`);
    expect(shownEpisodeSchema.parse(shown)).toMatchObject({ runId: made.runId, reward: figuresOf(made).reward });
    expect(await showEpisode(db, made.runId.slice(-12))).toEqual(shown);
    expect(
      shown.actions.map(({ action, thinkMs, platformMs }) => [action, Math.round(thinkMs!), Math.round(platformMs!)]),
    ).toEqual(made.actions.map(({ text, think, platform }) => [text, think, platform]));
    await expect(showEpisode(db, 'nope')).rejects.toMatchObject({ type: 'not_found' });
  });
});
