import type { RewardRequest } from '../../domain/requests/reward.js';
import type { RewardedEpisode, RewardedStep } from '../../domain/views/episodes.js';
import type { Statements } from '../statements.js';

/** What these runs earned as episodes, in the order in which they were submitted. */
export const episodeReturns = (
  run: Statements,
  runIds: readonly string[],
  request: RewardRequest,
): Promise<RewardedEpisode[]> =>
  run<RewardedEpisode>(
    'episodeReturns',
    `select r.run_id as "runId", r.batch_id as "batchId", r.task_id as task, r.model_name as model, r.status,
       r.end_reason as "endReason", e.reward, e.gain, coalesce(e.steps, 0) as steps, coalesce(e.format_errors, 0) as "formatErrors", e.fault
     from runs r left join episode_returns($1, $2) e on e.run_id = r.run_id
     where r.run_id = any ($1) order by r.created_at, r.batch_id, r.ordinal`,
    [runIds, JSON.stringify(request)],
  );

/** The steps that they earned it in, by run. */
export async function episodeSteps(
  run: Statements,
  runIds: readonly string[],
  request: RewardRequest,
): Promise<Map<string, RewardedStep[]>> {
  const rows = await run<RewardedStep & { runId: string }>(
    'episodeSteps',
    `select run_id as "runId", step, evaluation, gain, reward, cumulative_reward as "cumulativeReward", format_errors as "formatErrors", fault, parts
     from episode_rewards($1, $2) order by run_id, step`,
    [runIds, JSON.stringify(request)],
  );
  const steps = new Map<string, RewardedStep[]>(runIds.map((id) => [id, []]));
  for (const { runId, ...step } of rows) steps.get(runId)?.push(step);
  return steps;
}

/** Of one batch, or of all; ids alone. */
export async function runIdsOf(run: Statements, batchId?: string): Promise<string[]> {
  const rows = await run<{ runId: string }>(
    'runIdsOf',
    'select run_id as "runId" from runs where $1::text is null or batch_id = $1',
    [batchId ?? null],
  );
  return rows.map(({ runId }) => runId);
}
