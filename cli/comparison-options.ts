import type { Command } from 'commander';
import { type ComparisonRequest, comparisonRequestSchema } from '../domain/requests/comparison.js';
import { requestOptions } from './request-options.js';

const comparisonOptions = () => requestOptions(comparisonRequestSchema.shape);

export function addComparisonOptions(command: Command): Command {
  for (const option of comparisonOptions()) command.addOption(option);
  return command;
}

/** The options that a saved comparison fixes. `metric` and `order` only order the rows. */
export const FIXED_BY_COMPARISON = Object.keys(comparisonRequestSchema.shape).filter(
  (name) => name !== 'metric' && name !== 'order',
);

/** Omitted options get the operation's defaults. */
export const comparisonRequest = (command: Command): ComparisonRequest =>
  Object.fromEntries(
    Object.keys(comparisonRequestSchema.shape)
      .filter((name) => command.getOptionValueSource(name) === 'cli')
      .map((name) => [name, command.getOptionValue(name) as unknown]),
  );
