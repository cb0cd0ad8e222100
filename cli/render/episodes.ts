import { formatDuration, formatScore } from '../../domain/text/format.js';
import type { Colors } from 'picocolors/types.js';
import type { EpisodeActionFigures, EpisodeFigures, ShownEpisode } from '../../domain/views/training.js';
import { formatSpan, formatTime, oneLine, shortId } from './format.js';
import { type Column, renderFields, renderTable } from './table.js';

/** Its state or end; red if an episode has no reward for a reason of its own. */
function phase({ status, endReason, errored, abandoned, fault }: EpisodeFigures, colors: Colors): string {
  if (status !== 'ended') return colors.dim(status.replace('_', ' '));
  if (abandoned) return colors.dim('given up');
  return errored ? colors.red((fault ?? 'errored').replace('_', ' ')) : (endReason ?? 'ended');
}

const version = (value: number | null): string => (value === null ? '–' : String(value));
const versions = ({ policyVersion, lastPolicyVersion }: EpisodeFigures): string =>
  policyVersion === lastPolicyVersion
    ? version(policyVersion)
    : `${version(policyVersion)} to ${version(lastPolicyVersion)}`;
const took = (ms: number | null): string => (ms === null ? '–' : formatDuration(ms));

export function renderEpisodes(episodes: readonly EpisodeFigures[], colors: Colors, now: Date = new Date()): string {
  if (episodes.length === 0) return 'No episodes.';
  const columns: Column<EpisodeFigures>[] = [
    {
      title: 'episode',
      value: ({ episodeId, runId }) => (episodeId === runId ? shortId(runId) : oneLine(episodeId, 24)),
    },
    { title: 'task', value: ({ task }) => task },
    { title: 'group', value: ({ group }) => (group === null ? '–' : oneLine(group, 24)) },
    { title: 'seed', value: ({ seed }) => String(seed), align: 'right' },
    { title: 'policy', value: versions, align: 'right' },
    { title: 'end', value: (episode) => phase(episode, colors) },
    { title: 'turns', value: ({ numTurns }) => String(numTurns), align: 'right' },
    {
      title: 'format errors',
      value: ({ formatErrors }) => (formatErrors === 0 ? '' : String(formatErrors)),
      align: 'right',
    },
    { title: 'gain', value: ({ gain }) => formatScore(gain), align: 'right' },
    { title: 'reward', value: ({ reward }) => formatScore(reward), align: 'right' },
    { title: 'time', value: ({ createdAt, endedAt }) => formatSpan(createdAt, endedAt, now), align: 'right' },
  ];
  return renderTable(episodes, columns, colors);
}

const ACTION_WIDTH = 48;

export function renderEpisode(episode: ShownEpisode, colors: Colors, now: Date = new Date()): string {
  const { episodeId, runId, batchId, task, group, seed, protocol, labels } = episode;
  const fields: [string, string][] = [
    ['episode', episodeId === runId ? runId : `${episodeId} (${runId})`],
    ['batch', batchId],
    ['task', `${task}, seed ${seed}${group === null ? '' : `, group ${group}`}`],
    ['protocol', protocol],
    ...(Object.keys(labels).length === 0 ? [] : [['labels', JSON.stringify(labels)] as [string, string]]),
    ['policy version', versions(episode)],
    [
      'state',
      `${phase(episode, colors)}, since ${formatTime(episode.createdAt)} (${formatSpan(episode.createdAt, episode.endedAt, now)})`,
    ],
    [
      'reward',
      `${formatScore(episode.reward)} by ${JSON.stringify(episode.rewardRequest)}${episode.masked ? ', masked' : ''}`,
    ],
    ['gain', formatScore(episode.gain)],
    [
      'times',
      `reset ${took(episode.resetMs)}, sandbox ${took(episode.queueMs)}, first command ${took(episode.firstCommandMs)}${episode.forkMs === null ? '' : `, fork ${took(episode.forkMs)}`}`,
    ],
  ];
  const columns: Column<EpisodeActionFigures>[] = [
    { title: 'action', value: ({ seq }) => String(seq), align: 'right' },
    { title: 'step', value: ({ step }) => String(step), align: 'right' },
    { title: 'policy', value: ({ policyVersion }) => version(policyVersion), align: 'right' },
    { title: 'what', value: ({ action }) => oneLine(action, ACTION_WIDTH) },
    {
      title: 'exit',
      value: ({ formatError, timedOut, exitCode }) =>
        formatError
          ? colors.yellow('not executed')
          : timedOut
            ? colors.yellow('timed out')
            : (exitCode?.toString() ?? ''),
      align: 'right',
    },
    { title: 'reward', value: ({ reward }) => formatScore(reward), align: 'right' },
    ...(['think', 'queue', 'command', 'evaluation', 'platform'] as const).map((part): Column<EpisodeActionFigures> => ({
      title: part,
      value: (action) => took(action[`${part}Ms`]),
      align: 'right',
    })),
  ];
  return `${renderFields(fields, colors)}\n\n${renderTable(episode.actions, columns, colors)}`;
}
