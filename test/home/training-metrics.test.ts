import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type EpisodeLine,
  episodeLineSchema,
  type PolicyMetrics,
  policyMetricsSchema,
} from '../../domain/views/training.js';
import { BenchHome } from '../setup/bench-home.js';
import { EnvServer } from '../setup/env-server.js';

let home: BenchHome;
let server: EnvServer;
let batchId = '';
const folder = mkdtempSync(join(tmpdir(), 'bench-training-'));
beforeAll(async () => {
  home = new BenchHome();
  server = new EnvServer(home, ['--name', 'spring']);
  ({ batchId } = await server.start());
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await server.stop();
  await home.remove();
});

interface Outcome {
  observation: { message: string };
  reward: number | null;
}

/** Plays the actions, and returns what the server said of each. */
async function play(reset: Record<string, unknown>, actions: { action: unknown; policy_version: number }[]) {
  const body = { task: 'battleOfSexes', reward: { mode: 'delta_prev', format_penalty: 0.25 }, ...reset };
  const begun = await server.ask<{ episode_id: string; observation: { message: string } }>(
    'POST',
    '/v1/episodes',
    body,
  );
  const { episode_id: id, observation } = begun.body;
  const outcomes: Outcome[] = [];
  for (const [at, action] of actions.entries()) {
    let answer = await server.ask<Outcome>('POST', `/v1/episodes/${id}/step`, { ...action, action_seq: at + 1 });
    while (answer.status === 202)
      answer = await server.ask<Outcome>('GET', `/v1/episodes/${id}/steps/${at + 1}?wait_s=20`);
    expect(answer).toMatchObject({ status: 200 });
    outcomes.push(answer.body);
  }
  return { id, first: observation.message, outcomes };
}

describe('a server that trains', () => {
  test('stores what it paid and said, and tells how training goes', async () => {
    const group = { group: 'g1', seed: 7 };
    const played = await play({ ...group, policy_version: 3, labels: { arm: 'a' } }, [
      { action: { reply: 'no command here' }, policy_version: 3 },
      { action: 'ls; exit 1', policy_version: 3 },
      { action: 'validate', policy_version: 4 },
      { action: 'submit', policy_version: 4 },
    ]);
    await play(group, [{ action: 'submit', policy_version: 3 }]);
    const open = await play({ episode_id: 'left-open' }, [{ action: 'true', policy_version: 4 }]);

    const output = join(folder, 'episodes.jsonl');
    expect(await home.json('episodes', 'export', 'spring', '-o', output)).toMatchObject({ episodes: 3, output });
    const lines = readFileSync(output, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line): EpisodeLine => episodeLineSchema.parse(JSON.parse(line)));
    const [line] = lines;
    expect(line).toMatchObject({
      run_id: played.id,
      group: 'g1',
      seed: 7,
      labels: { arm: 'a' },
      exit_status: 'submitted',
    });
    // As the server paid and said it, whatever is computed from the record.
    expect(line!.actions.map(({ reward }) => reward)).toEqual(played.outcomes.map(({ reward }) => reward));
    expect(line!.actions[0]).toMatchObject({ format_error: true, reward: -0.25, exit_code: null });
    expect(line!.actions[1]).toMatchObject({ format_error: false, reward: null, exit_code: 1 });
    expect(line!.messages.filter(({ role }) => role === 'user').map(({ content }) => content)).toEqual([
      played.first,
      ...played.outcomes.map(({ observation }) => observation.message),
    ]);

    const listed = await home.json<{ episodes: { episodeId: string }[] }>('episodes', 'list', '--state', 'open');
    expect(listed.episodes).toMatchObject([{ episodeId: 'left-open', status: 'running', numTurns: 1 }]);
    const shown = await home.json<{ actions: { platformMs: number | null }[] }>('episodes', 'show', played.id);
    expect(shown).toMatchObject({
      policyVersion: 3,
      lastPolicyVersion: 4,
      formatErrors: 1,
      failedCommands: 1,
      validations: 1,
    });
    expect(shown.actions.every(({ platformMs }) => platformMs !== null)).toBe(true);

    const text = async (path: string) => (await fetch(`${server.url}${path}`)).text();
    const policies = (await text('/v1/metrics'))
      .trimEnd()
      .split('\n')
      .map((row): PolicyMetrics => policyMetricsSchema.parse(JSON.parse(row)));
    expect(policies).toMatchObject([
      { policy_version: 3, episodes: 2, ended: 2, groups: 1, actions: 3, 'tools/call_frequency': 2 },
      { policy_version: 4, episodes: 1, ended: 0, actions: 3 },
    ]);
    expect(policies[0]!.reset_ms).toBeGreaterThan(0);
    expect((await text('/v1/metrics?after=3')).trimEnd().split('\n')).toHaveLength(1);
    const groups = (await text('/v1/metrics?per=group&after=2')).trimEnd().split('\n');
    expect(groups.map((row) => JSON.parse(row) as unknown)).toContainEqual(
      expect.objectContaining({ policy_version: 3, group: 'g1', rewarded: 2 }),
    );
    expect((await server.ask('GET', '/v1/metrics?per=x')).status).toBe(422);
    const scraped = await text('/metrics');
    for (const sample of [
      'bench_episodes_open{state="active"} 1',
      'bench_episodes_ended_total{end_reason="submit"} 2',
      `bench_training_reward{policy_version="3"} ${policies[0]!.reward}`,
    ])
      expect(scraped).toContain(`${sample}\n`);

    const status = await home.json<{ waitingFor: string[] }>('status', 'spring');
    expect(status).toMatchObject({ training: true, episodes: { open: 1, ended: 2, reward: policies[0]!.reward } });
    expect(status.waitingFor).toContain('`bench env serve --name spring` serves it; it has no workflow');
    expect(await home.json('batches')).toMatchObject({ batches: [{ batchId, training: true }] });
    await server.ask('DELETE', `/v1/episodes/${open.id}`);
  });
});
