import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { batchOptionsSchema, batchRequest } from '../../../domain/requests/batch.js';
import { names } from '../../../domain/requests/fields.js';
import { groupSchema } from '../../../domain/requests/run-options.js';
import { requestFields, requestOptions } from '../../../cli/schema-flags.js';

const FIELDS = { ...groupSchema.shape, ...batchOptionsSchema.shape };

function parse(...args: string[]): Record<string, unknown> {
  const command = new Command().exitOverride().configureOutput({ writeErr: () => undefined });
  for (const option of requestOptions(FIELDS)) command.addOption(option);
  command.parse(args, { from: 'user' });
  return requestFields(FIELDS, command.opts());
}

describe('flags of a request', () => {
  it('state what a file with the same keys states', () => {
    const flags = parse(
      ...['--models', 'a,b', '--tasks', 'c', '--wall-time', '2h', '--cost-limit', '0.5', '--snapshot-every', '3'],
      ...['--top-p', '0.9', '--memory', '--backend', 'local', '--budget', '7'],
    );
    const stated = {
      models: ['a', 'b'],
      tasks: ['c'],
      wallTime: '2h',
      costLimit: 0.5,
      snapshotEvery: 3,
      topP: 0.9,
      memory: true,
      backend: 'local' as const,
      budget: 7,
    };
    expect(batchRequest(flags)).toEqual(batchRequest(stated));
  });

  it('turn off with `--no-` what only a file gives a number', () => {
    expect([parse()['breaker'], parse('--no-breaker')['breaker']]).toEqual([5, false]);
    expect(() => parse('--breaker', '7')).toThrow(/unknown option/);
  });

  it('replace a default list, and add to one that was given', () => {
    const parsed = (...args: string[]): object => {
      const command = new Command();
      for (const option of requestOptions({ tasks: names().default(['battleOfSexes']) })) command.addOption(option);
      return command.parse(args, { from: 'user' }).opts();
    };
    expect(parsed('--tasks', 'a,b', '--tasks', 'c')).toEqual({ tasks: ['a', 'b', 'c'] });
    expect(parsed()).toEqual({ tasks: ['battleOfSexes'] });
  });

  it.each([
    [['--attempts', '0'], 'It must be a whole number from 1 to 10000, or auto.'],
    [['--concurrency', 'many'], 'It must be a whole number from 1 to 10000.'],
    [['--token-limit', '-1'], 'It must be a whole number of at least 0.'],
    [['--temperature', '3'], 'It must be a number from 0 to 2.'],
    [['--budget', 'x'], 'It must be US dollars above zero: 5, 0.25.'],
    [['--backend', 'cloud'], 'Allowed choices are docker, podman, local.'],
  ])('%j is refused by the bounds of the field', (args, message) => {
    expect(() => parse(...args)).toThrow(message);
  });
});
