import type { Command } from 'commander';
import type { z } from 'zod';
import {
  comparisonRequestSchema,
  type SavedComparisonRequest,
  savedComparisonRequestSchema,
} from '../domain/requests/comparison.js';
import { requestOptions } from './schema-flags.js';

export function addComparisonOptions(
  command: Command,
  shape: Record<string, z.ZodType> = comparisonRequestSchema.shape,
): Command {
  for (const option of requestOptions(shape)) command.addOption(option);
  return command;
}

/** The options that a saved comparison fixes. `metric` only orders the rows. */
export const FIXED_BY_COMPARISON = Object.keys(comparisonRequestSchema.shape).filter((name) => name !== 'metric');

/** Omitted options get the operation's defaults. */
export const comparisonRequest = (command: Command): SavedComparisonRequest =>
  Object.fromEntries(
    Object.keys(savedComparisonRequestSchema.shape)
      .filter((name) => command.getOptionValueSource(name) === 'cli')
      .map((name) => [name, command.getOptionValue(name) as unknown]),
  );
