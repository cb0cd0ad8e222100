import { formatScore, formatUsd, plural } from '../../domain/text/format.js';
import { formatTime } from './format.js';
import type { BatchStatusReport, TrainingState } from '../../domain/views/batches.js';
import type { UnreachableHost } from '../../domain/views/hosts.js';

type State = Pick<
  BatchStatusReport,
  | 'batchId'
  | 'origin'
  | 'status'
  | 'runs'
  | 'ended'
  | 'concurrency'
  | 'pausedAt'
  | 'pauseReason'
  | 'budgetUsd'
  | 'chargedUsd'
  | 'byStatus'
  | 'byEndReason'
  | 'replaced'
  | 'name'
  | 'episodes'
  | 'unreachableHosts'
  | 'runList'
>;

const are = (count: number, what: string): string =>
  `${plural(count, 'run')} ${count === 1 ? 'waits' : 'wait'} ${what}`;

export function pausedLine({
  batchId,
  pausedAt,
  pauseReason,
}: Pick<State, 'batchId' | 'pausedAt' | 'pauseReason'>): string[] {
  if (pausedAt === null) return [];
  const since = formatTime(pausedAt);
  return pauseReason === null
    ? [`paused since ${since}: no new runs start, running ones continue`]
    : [
        `paused automatically at ${since}: ${pauseReason}`,
        `no new runs start: correct the fault, then \`bench resume ${batchId}\`; \`bench retry ${batchId} --all\` reruns those that ended`,
      ];
}

/** Why the batch is not further, and what is left of its budget: a line each. */
export function batchState(batch: State): string[] {
  const { pausedAt, budgetUsd, chargedUsd, byStatus, byEndReason, concurrency, replaced, episodes } = batch;
  const count = (status: string): number => byStatus[status] ?? 0;
  const [queued, forGpus, forHost] = [count('queued'), count('waiting_gpu'), count('waiting_host')];
  const stopped = byEndReason['budget'] ?? 0;
  return [
    ...(episodes === null
      ? []
      : [episodesLine(episodes), `\`bench env serve --name ${batch.name ?? ''}\` serves it; it has no workflow`]),
    ...pausedLine(batch),
    ...(budgetUsd === null
      ? []
      : [
          `budget ${formatUsd(budgetUsd)}, charged ${formatUsd(chargedUsd)} (${Math.round((100 * Number(chargedUsd)) / Number(budgetUsd))} %)` +
            (stopped === 0 ? '' : `; it stopped ${plural(stopped, 'run')}`),
        ]),
    ...(forGpus === 0 ? [] : [`${are(forGpus, 'for GPUs')}: bench hosts`]),
    ...(forHost === 0 ? [] : [`${are(forHost, 'for a host with room')}: bench hosts`]),
    ...batch.unreachableHosts.map(awayLine),
    ...playedLine(batch),
    ...(queued === 0 || pausedAt !== null || episodes !== null
      ? []
      : [`${are(queued, 'for their turn')}: ${concurrency} at a time`]),
    ...(replaced === 0
      ? []
      : [`${plural(replaced, 'run')} ${replaced === 1 ? 'was' : 'were'} replaced by a later one`]),
  ];
}

/** Runs that wait for what a person does on the page. */
function playedLine({ runList }: Pick<State, 'runList'>): string[] {
  const played = runList.filter(({ modelKind, status }) => modelKind === 'human' && status === 'running').length;
  return played === 0 ? [] : [`${are(played, 'for a player on the page')}: bench serve`];
}

/** `host b, with 2 runs of it, does not reach Temporal` */
const awayLine = ({ hostId, runs, seenAt, unreachableServer }: UnreachableHost): string =>
  `host ${hostId}, with ${plural(runs, 'run')} of it, ` +
  (unreachableServer === null
    ? `has not registered since ${formatTime(seenAt)}`
    : `does not reach ${unreachableServer}`);

/** `3 episodes open (2 active, 1 waiting), 40 ended; mean reward of the last 40: 0.25` */
export function episodesLine({ open, ended, states, reward, latest }: TrainingState): string {
  const parts = Object.entries(states).flatMap(([state, count]) => (count === 0 ? [] : [`${count} ${state}`]));
  return (
    `${plural(open, 'episode')} open${parts.length === 0 ? '' : ` (${parts.join(', ')})`}, ${ended} ended` +
    (reward === null ? '' : `; mean reward of the last ${latest}: ${formatScore(reward)}`)
  );
}

/** The command that a reader most likely needs next. */
export function nextCommand(batch: State): string {
  const { batchId, pausedAt, byEndReason, replaced, status, origin } = batch;
  const open = batch.ended < batch.runs && status !== 'cancelled';
  if (batch.episodes !== null) return `bench episodes list ${batchId}`;
  if (origin !== 'bench') return `bench leaderboard --batch ${batchId}`;
  if (open && pausedAt !== null) return `bench resume ${batchId}`;
  if (open) return `bench watch ${batchId}`;
  const [infra, config] = [byEndReason['infra_error'] ?? 0, byEndReason['config_error'] ?? 0];
  if (infra + config > replaced) return `bench retry ${batchId}${config > 0 ? ' --all' : ''}`;
  if ((byEndReason['budget'] ?? 0) > replaced) return `bench resume ${batchId} --budget <usd>`;
  return `bench leaderboard --batch ${batchId}`;
}
