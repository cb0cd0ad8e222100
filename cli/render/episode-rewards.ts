import { formatScore } from '../../domain/text/format.js';
import type { Colors } from 'picocolors/types.js';
import type { EpisodeRewards, RewardedEpisode } from '../../domain/views/episodes.js';
import { shortId } from './format.js';
import { renderTable } from './table.js';

const phase = ({ status, endReason, fault }: RewardedEpisode, colors: Colors): string => {
  if (status !== 'ended') return colors.dim(status.replace('_', ' '));
  return fault === null ? (endReason ?? 'ended') : colors.red(fault.replace('_', ' '));
};

/** A row per episode, then the totals. */
export function renderEpisodeRewards(found: EpisodeRewards, colors: Colors): string {
  if (found.episodes.length === 0) return 'No episodes.';
  const table = renderTable(
    found.episodes,
    [
      { title: 'episode', value: ({ runId }) => shortId(runId) },
      { title: 'model', value: ({ model }) => model },
      { title: 'task', value: ({ task }) => task },
      { title: 'end', value: (episode) => phase(episode, colors) },
      { title: 'steps', value: ({ steps }) => String(steps), align: 'right' },
      { title: 'format errors', value: ({ formatErrors }) => String(formatErrors), align: 'right' },
      { title: 'gain', value: ({ gain }) => formatScore(gain), align: 'right' },
      { title: 'reward', value: ({ reward }) => formatScore(reward), align: 'right' },
      ...(found.episodes.some(({ stepList }) => stepList !== undefined)
        ? [
            {
              title: 'of steps',
              value: ({ stepList = [] }: RewardedEpisode) =>
                stepList
                  .flatMap(({ step, reward }) => (reward === null ? [] : [`${step}: ${formatScore(reward)}`]))
                  .join(', '),
            },
          ]
        : []),
    ],
    colors,
  );
  const { request, rewarded, faults, open, mean, std, min, max } = found;
  const figures =
    rewarded === 0
      ? ''
      : `: mean ${formatScore(mean)}, std ${formatScore(std)}, ${formatScore(min)} to ${formatScore(max)}`;
  return `${table}\n\n${rewarded} of ${found.episodes.length} rewarded by ${request.mode}${figures}; ${faults} lost to faults, ${open} not ended.`;
}
