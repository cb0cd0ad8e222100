import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Command } from 'commander';
import type { CliContext } from '../../../cli/context.js';
import { buildProgram } from '../../../cli/program.js';
import { commandReference, withReference } from '../../../scripts/reference/command-reference.js';

// Registering commands uses nothing of the context.
const program = await buildProgram({} as CliContext);
const page = readFileSync(new URL('../../../docs/reference/cli.md', import.meta.url), 'utf8');

function leaves(command: Command): Command[] {
  return command.commands.length === 0 ? [command] : command.commands.flatMap(leaves);
}
const commands = leaves(program);

describe('docs/reference/cli.md', () => {
  it('is what the commands say (else: npm run build && node scripts/update-cli-docs.mjs)', () => {
    expect(page).toBe(withReference(page, commandReference(program)));
  });

  it.each(commands.map((command) => [command.name(), command] as const))(
    'describes %s with each option',
    (_, command) => {
      for (const option of command.options) expect(page).toContain(option.long ?? option.flags);
      expect(command.description()).not.toBe('');
      expect(command.summary()).not.toBe('');
    },
  );
});

describe('every command', () => {
  it.each(commands.map((command) => [command.name(), command] as const))('%s takes --json', (_, command) => {
    expect(command.options.map((option) => option.long)).toContain('--json');
  });

  it.each(program.commands.map((command) => command.name()).filter((name) => name !== 'help'))(
    '%s is the only one when it is asked for, and as it is among all',
    async (name) => {
      const alone = await buildProgram({} as CliContext, name);
      expect(alone.commands.map((command) => command.name())).toEqual([name]);
      const among = program.commands.find((command) => command.name() === name);
      expect(alone.commands[0]?.helpInformation()).toBe(among?.helpInformation());
    },
  );

  it('is there for a name that is none', async () => {
    const names = async (asked: string) => (await buildProgram({} as CliContext, asked)).commands.length;
    expect(await Promise.all(['--help', 'help', 'statsu', 'toString'].map(names))).toEqual(
      Array(4).fill(program.commands.length),
    );
  });
});
