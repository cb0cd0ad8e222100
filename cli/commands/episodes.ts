import { type Command, InvalidArgumentError, Option } from 'commander';
import {
  modeError,
  REWARD_MODES,
  REWARD_PRESET_NAMES,
  type RewardInput,
  type RewardMode,
  type RewardPreset,
} from '../../domain/requests/reward.js';
import type { EpisodeRewards } from '../../domain/views/episodes.js';
import { rewardEpisodes } from '../../operations/episodes/reward-episodes.js';
import type { CliContext } from '../context.js';
import { numberBetween } from '../options.js';
import { renderEpisodeRewards } from '../render/episode-rewards.js';
import { register as registerExport } from './episodes-export.js';
import { register as registerList } from './episodes-list.js';

interface RewardOptions {
  batch?: string;
  preset?: RewardPreset;
  mode?: RewardMode;
  clip?: [number, number];
  formatPenalty?: number;
  reward?: Record<string, unknown>;
  steps?: true;
}

export function register(program: Command, context: CliContext): void {
  const episodes = program
    .command('episodes')
    .summary('list, export and reward episodes of training')
    .description('List, export and reward episodes: runs whose actions come from a trainer.');
  registerList(episodes, context);
  registerExport(episodes, context);
  episodes
    .command('reward')
    .argument('[ids...]', 'runs; default: those of --batch, or all')
    .summary('recompute rewards')
    .description('Recompute the rewards of stored episodes from their evaluations.')
    .option('--batch <ref>', 'the runs of this batch')
    .addOption(new Option('--preset <name>', 'a reward as another project defines it').choices(REWARD_PRESET_NAMES))
    .addOption(rewardMode(new Option('--mode <mode>', 'when evaluations pay; default: delta_prev')))
    .option('--clip <low,high>', 'bounds of each payment for an evaluation', bounds)
    .option('--format-penalty <x>', 'penalty for each malformed reply', numberBetween(0, 1e6))
    .option('--reward <json>', 'further reward settings, as a JSON object', jsonObject)
    .option('--steps', 'include the reward of each step')
    .action(async (runs: string[], options: RewardOptions) => {
      const { batch, preset, steps, mode, clip, formatPenalty, reward } = options;
      // The request is checked as a whole, like that of any caller.
      const asked = {
        ...reward,
        ...(mode !== undefined && { mode }),
        ...(clip !== undefined && { clip }),
        ...(formatPenalty !== undefined && { format_penalty: formatPenalty }),
      } as RewardInput;
      const found = await rewardEpisodes(context, { runs, batch, preset, reward: asked, steps });
      context.output.json(found satisfies EpisodeRewards);
      context.output.print(renderEpisodeRewards(found, context.output.colors));
    });
}

/** A removed mode's error names its replacement. */
function rewardMode(option: Option): Option {
  const { parseArg } = option.choices(REWARD_MODES);
  return option.argParser((text, before) => {
    const removed = modeError(text);
    if (removed !== undefined) throw new InvalidArgumentError(`${removed}.`);
    return parseArg!(text, before);
  });
}

function bounds(text: string): [number, number] {
  const numbers = text.split(',').map((part) => (part.trim() === '' ? NaN : Number(part)));
  const [low, high] = numbers;
  if (numbers.length !== 2 || low === undefined || high === undefined || !(low < high))
    throw new InvalidArgumentError('Write two numbers, the smaller one first: -1,1.');
  return [low, high];
}

function jsonObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // Reported below.
  }
  throw new InvalidArgumentError('Write a JSON object: {"no_valid_penalty": 1}.');
}
