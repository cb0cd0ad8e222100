import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import type { CliContext } from '../../../cli/context.js';
import { buildProgram } from '../../../cli/program.js';
import { remedyText } from '../../../cli/render/remedy.js';
import { checkoutFiles, read } from '../docs/checkout.js';
import { captured } from './fixtures.js';

const longOptions = (command: Command): string[] => [
  ...command.options.flatMap(({ long }) => (long == null ? [] : [long])),
  ...command.commands.flatMap(longOptions),
];

/** Lines that speak of another program's options, or of a variable of CSS. */
const OTHERS =
  /\b(temporal|podman|npm|nvidia-smi|postgres|pip|apt-get|setpriv|mount|unshare|debootstrap|tar|COPY)\b|var\(--|--page:/;
/** Argument lists of other programs: an option alone, or an option and its value. */
const ARGUMENT = /(['"`])--[a-z][\w-]*(?:=[^'"`]*)?\1/g;

describe('options of the command line', () => {
  it('are named by the command line alone: others name what an option is about', async () => {
    const own = new Set(longOptions(await buildProgram({ output: captured().output } as unknown as CliContext)));
    const named = checkoutFiles()
      .filter((path) =>
        /^(domain|workflows|activities|backends|models|temporal|db|catalog|services|report|operations|worker)\/.*\.ts$/.test(
          path,
        ),
      )
      .flatMap((path) =>
        read(path)
          .split('\n')
          .flatMap((line, index) =>
            OTHERS.test(line)
              ? []
              : [...line.replace(ARGUMENT, '').matchAll(/(?<![\w-])--[a-z][a-z-]*/g)]
                  .filter(([flag]) => own.has(flag))
                  .map(([flag]) => `${path}:${index + 1}: ${flag}`),
          ),
      );
    expect(own).toContain('--skip-unavailable');
    expect(named).toEqual([]);
  });
});

describe('a remedy', () => {
  it('ends with the options that it is about', () => {
    expect(remedyText('Choose another name, or add the runs to that batch.', { name: true, into: 'spring' })).toBe(
      'Choose another name, or add the runs to that batch (--name, --into spring).',
    );
    expect(remedyText('fewer GPUs per run', { gpusPerRun: true })).toBe('fewer GPUs per run (--gpus-per-run)');
  });

  it('is left as it is where it is about none', () => {
    expect(remedyText('`bench up` starts them.')).toBe('`bench up` starts them.');
  });
});
