import { drizzle } from 'drizzle-orm/node-postgres';
import type pg from 'pg';
import type { Episodes, NewEpisode } from '../../../domain/ports/episodes.js';
import type { RunDefinition } from '../../../domain/run/run.js';
import type { Statements } from '../../statements.js';
import { insertRuns } from '../../submission.js';
import { findEpisode } from './rows.js';
import { transaction } from './transaction.js';

/** A process writes the rows of a task and its agent once. */
export function episodeCreation(pool: pg.Pool, run: Statements): Episodes['create'] {
  /** Hashes of tasks with agents that this process has stored: nothing removes them. */
  const stored = new Set<string>();
  return async (episode, harnessVersion) => {
    const { episodeId } = episode;
    const content = contentOf(episode.run);
    const contentIsStored = content !== null && stored.has(content);
    try {
      await insertEpisode(pool, episode, harnessVersion, { contentIsStored });
    } catch (error) {
      // Another request of the same id was first.
      const first = await findEpisode(run, episodeId);
      if (first !== null) return { row: first, known: true };
      if (!contentIsStored) throw error;
      // The database was restored from an earlier backup.
      stored.clear();
      await insertEpisode(pool, episode, harnessVersion, { contentIsStored: false });
    }
    if (content !== null) stored.add(content);
    const row = await findEpisode(run, episodeId);
    if (row === null) throw new Error(`episode ${episodeId} was stored, and is not there`);
    return { row, known: false };
  };
}

async function insertEpisode(
  pool: pg.Pool,
  episode: NewEpisode,
  harnessVersion: string,
  known: { contentIsStored: boolean },
): Promise<void> {
  return transaction(pool, 'createEpisode', async (client) => {
    const { run: definition, episodeId, protocol, session, reset, reward, idleSeconds, deadlineAt, resetMs } = episode;
    const { rows } = await client.query<{ ordinal: string }>(`select nextval('episode_ordinals') as ordinal`);
    const ordinal = Number(rows[0]?.ordinal);
    const whole = { ...definition, attempt: ordinal };
    await insertRuns(drizzle(client), [whole], { ordinal, shard: 0 }, harnessVersion, known);
    await client.query(
      `insert into episodes (run_id, episode_id, protocol, reset, reward, group_key, labels, policy_version, next_step,
           idle_seconds, expires_at, deadline_at, session, reset_ms, max_validations)
         values ($1, $2, $3, $4::jsonb, $5::jsonb, $6, $7::jsonb, $8, $9, $10::int, now() + make_interval(secs => $10::int), $11, $12, $13, $14)`,
      [
        ...[definition.runId, episodeId, protocol, JSON.stringify(reset), JSON.stringify(reward)],
        ...[reset.group ?? null, JSON.stringify(reset.labels ?? {}), reset.policy_version ?? null],
        ...[(definition.forkedFrom?.step ?? 0) + 1, idleSeconds, deadlineAt, session, resetMs],
        definition.maxValidations ?? null,
      ],
    );
    const { rollout } = episode;
    if (rollout !== undefined)
      await client.query(`insert into rollouts (run_id, capture, sealed) values ($1, $2, $3)`, [
        ...[definition.runId, rollout.capture, rollout.sealed],
      ]);
  });
}

function contentOf({ taskHash, agentHash, model }: RunDefinition): string | null {
  return model.config === undefined && model.recording === undefined ? `${taskHash} ${agentHash}` : null;
}
