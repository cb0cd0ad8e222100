import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Command } from 'commander';
import type { CliContext } from '../../../cli/context.js';
import { buildProgram } from '../../../cli/program.js';
import { commandReference, withReference } from '../../../cli/render/command-reference.js';

// Registering commands uses nothing of the context.
const program = buildProgram({} as CliContext);
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
});
