import { CommanderError } from 'commander';
import { describe, expect, it } from 'vitest';
import type { CliContext } from '../../../cli/context.js';
import { buildProgram } from '../../../cli/program.js';
import { helpHint, refuseRenamed, refuseUnknownHelp } from '../../../cli/usage-errors.js';
import { captured } from './fixtures.js';

async function refused(...args: string[]): Promise<{ message: string; hint: string | null }> {
  const context = { output: captured().output, looksOnly: () => undefined } as unknown as CliContext;
  const program = await buildProgram(context, args[0]);
  const error: unknown = await program.parseAsync(args, { from: 'user' }).catch((refusal: unknown) => refusal);
  if (!(error instanceof CommanderError)) throw new Error(`${args.join(' ')} was taken`);
  return { message: error.message.replace(/^error: /, ''), hint: helpHint(error) };
}

describe('a mistake in the arguments', () => {
  it.each([
    [['submit', '--models', 'a,', 'b', '--tasks', 'all'], 'Put no space before or after a comma: a,b,c.', 'submit'],
    [['submit', '--models', 'a', ',b', '--tasks', 'all'], "unexpected argument ',b': put no space before", 'submit'],
    [['runs', '--models', 'a,', 'b'], 'Put no space before or after a comma', 'runs list'],
    [['submit', '--models', 'a', 'b'], "unexpected argument 'b': 'bench submit' takes none", 'submit'],
    [['runs', 'b-1', 'b-2'], "unexpected argument 'b-2': 'bench runs list' takes only <batch>", 'runs list'],
    [['show', 'r-1', 'r-2'], "unexpected argument 'r-2': 'bench show' takes only <run>", 'show'],
    [['show'], "missing required argument 'run'", 'show'],
    [['submit', '--maxsteps', '3'], 'Did you mean --max-steps?', 'submit'],
    [['tasks', 'shwo', 'x'], 'Did you mean show?', 'tasks'],
    [['tasks', 'show', '--jsno', 'x'], 'Did you mean --json?', 'tasks show'],
    [['search', ''], "argument 'text'. It must not be empty.", 'search'],
    [['search', 'x', '--limit', '0'], 'It must be at least 1.', 'search'],
    [['hosts', 'list', 'x'], "unexpected argument 'x': 'bench hosts list' takes none", 'hosts list'],
  ])('%j says what is wrong, and names the help of its command', async (args, message, command) => {
    const found = await refused(...args);
    expect(found.message).toContain(message);
    expect(found.hint).toBe(`See \`bench ${command} --help\`.`);
  });

  it('in a renamed command names the new one', async () => {
    const program = await buildProgram({ output: captured().output } as unknown as CliContext, 'search-tree');
    expect(() => refuseRenamed(program, 'search-tree')).toThrow('Use `bench tree` instead.');
  });

  it.each([
    [['foo', '--help'], "unknown command 'foo'"],
    [['tasks', 'shwo', '-h'], 'Did you mean show?'],
    [['help', 'tasks', 'shwo'], 'Did you mean show?'],
  ])('in the name of a command is not hidden by help: %j', async (args, message) => {
    const program = await buildProgram({ output: captured().output } as unknown as CliContext, args[0]);
    expect(() => refuseUnknownHelp(program, args)).toThrow(message);
  });

  it.each([[['runs', 'spring', '--help']], [['help']], [['help', 'runs', 'list']], [['tasks', 'show', 'x', '--help']]])(
    'is not seen in %j, which asks for help',
    async (args) => {
      const program = await buildProgram({ output: captured().output } as unknown as CliContext, args[0]);
      expect(() => refuseUnknownHelp(program, args)).not.toThrow();
    },
  );

  it('in the name of a command names the help of all', async () => {
    expect(await refused('stauts')).toMatchObject({ hint: 'See `bench --help` for the commands.' });
  });
});

describe('--version', () => {
  it('loads no command', async () => {
    const program = await buildProgram({ output: captured().output } as unknown as CliContext, '--version');
    expect(program.commands).toEqual([]);
  });
});
