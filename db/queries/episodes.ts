import type { EpisodesWanted } from '../../domain/ports/reading/training.js';
import { BenchError } from '../../domain/errors.js';
import type { EpisodeActionFigures, EpisodeFigures, ShownEpisode } from '../../domain/views/training.js';
import type { Statements } from '../statements.js';
import { isoTime, isoTimeOrNull } from './summaries.js';

/** Ids of wanted episodes: a condition on `episodes e` and `runs r`, with five parameters. */
const WANTED = `($1::text is null or r.batch_id = $1) and ($2::text is null or e.group_key = $2)
  and ($3::text is null or r.task_id = $3) and ($4::text is null or (r.status = 'ended') = ($4 = 'ended'))
  and ($5::int is null or (e.reset ->> 'policy_version')::int = $5
    or exists (select from episode_actions a where a.run_id = e.run_id and a.policy_version = $5))`;

export const wantedIds = (more = ''): string =>
  `select e.run_id from episodes e join runs r on r.run_id = e.run_id where ${WANTED} ${more}`;

export const wantedValues = ({ batchId, group, task, state, policyVersion }: EpisodesWanted): unknown[] => [
  batchId ?? null,
  group ?? null,
  task ?? null,
  state ?? null,
  policyVersion ?? null,
];

/** Columns of EpisodeFigures, from `measure_episodes(…) m` and `episodes e`. */
const FIGURES = `m.episode_id as "episodeId", m.run_id as "runId", m.batch_id as "batchId", m.task, m.group_key as "group",
  m.seed::float8 as seed, m.protocol, e.labels, m.policy_version as "policyVersion", m.last_policy_version as "lastPolicyVersion",
  m.status, m.end_reason as "endReason", m.reward, m.gain, m.fault, m.is_terminated as "isTerminated",
  m.is_truncated as "isTruncated", m.errored, m.abandoned, m.masked, m.num_turns as "numTurns", m.steps,
  m.format_errors as "formatErrors", m.reply_chars::float8 as "replyChars", m.reply_tokens::float8 as "replyTokens", m.commands,
  m.failed_commands as "failedCommands", m.validations, m.reset_ms as "resetMs", m.queue_ms as "queueMs",
  m.first_command_ms as "firstCommandMs", m.fork_ms as "forkMs", m.created_at as "createdAt", m.ended_at as "endedAt"`;

type FiguresRow = Omit<EpisodeFigures, 'createdAt' | 'endedAt'> & { createdAt: Date; endedAt: Date | null };

const figuresOf = <Row extends FiguresRow>(row: Row) => ({
  ...row,
  createdAt: isoTime(row.createdAt),
  endedAt: isoTimeOrNull(row.endedAt),
});

/** Newest first. */
export async function listEpisodes(run: Statements, wanted: EpisodesWanted, limit: number): Promise<EpisodeFigures[]> {
  const rows = await run<FiguresRow>(
    'listEpisodes',
    `select ${FIGURES}
     from measure_episodes(array(${wantedIds('order by r.ordinal desc limit $6')})) m
     join episodes e on e.run_id = m.run_id join runs r on r.run_id = m.run_id order by r.ordinal desc`,
    [...wantedValues(wanted), limit],
  );
  return rows.map(figuresOf);
}

/** One episode with its actions in order. Throws BenchError (not_found): the run is no episode. */
export async function showEpisode(run: Statements, runId: string): Promise<ShownEpisode> {
  const [row] = await run<FiguresRow & Pick<ShownEpisode, 'rewardRequest'>>(
    'showEpisode',
    `select ${FIGURES}, e.reward as "rewardRequest" from measure_episodes(array[$1]) m join episodes e on e.run_id = m.run_id`,
    [runId],
  );
  if (row === undefined)
    throw new BenchError('not_found', `run ${runId} is no episode: no trainer plays it`, {
      code: 'episode.not_found',
      remedy: '`bench show` shows runs, `bench episodes list` lists episodes.',
    });
  const actions = await run<Omit<EpisodeActionFigures, 'at'> & { at: Date }>(
    'episodeActions',
    `select a.seq, a.step, coalesce(a.action ->> 'command', a.action ->> 'reply', a.action ->> 'malformed') as action,
       a.policy_version as "policyVersion", w.format_error as "formatError", case when not w.format_error then s.exit_code end as "exitCode",
       not w.format_error and coalesce(s.timed_out, false) as "timedOut", w.reward, w.gain, t.think_ms as "thinkMs",
       t.queue_ms as "queueMs", t.command_ms as "commandMs", t.evaluation_ms as "evaluationMs", t.platform_ms as "platformMs",
       a.created_at as at
     from episode_actions a
     join action_rewards(array[$1]) w on w.seq = a.seq
     join episode_times(array[$1]) t on t.seq = a.seq
     left join steps s on s.run_id = a.run_id and s.step = a.step
     where a.run_id = $1 order by a.seq`,
    [runId],
  );
  return { ...figuresOf(row), actions: actions.map((action) => ({ ...action, at: isoTime(action.at) })) };
}
