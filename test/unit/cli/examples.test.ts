import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import type { CliContext } from '../../../cli/context.js';
import { examplesOf } from '../../../cli/examples.js';
import { buildProgram } from '../../../cli/program.js';
import { captured } from './fixtures.js';

const context = { output: captured().output, looksOnly: () => undefined } as unknown as CliContext;
const tree = (command: Command): Command[] => [command, ...command.commands.flatMap(tree)];
const all = tree(await buildProgram(context)).flatMap((command) =>
  examplesOf(command).map(([line]) => ({ line, name: command.name() })),
);

/** The words of a line, with single quotes as a shell reads them. */
const wordsOf = (line: string): string[] =>
  [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(([, single, double, bare]) => single ?? double ?? bare ?? '');

class Parsed extends Error {
  constructor(readonly command: Command) {
    super();
  }
}

describe('examples in the help', () => {
  it('are there for the commands that people use first', () => {
    for (const name of ['demo', 'submit', 'status', 'watch', 'runs', 'show', 'leaderboard', 'sql', 'resume'])
      expect(all.map((example) => example.name)).toContain(name);
    for (const name of ['retry', 'fork', 'tasks', 'models', 'worker', 'mlgym', 'jsonl', 'export'])
      expect(all.map((example) => example.name)).toContain(name);
  });

  it.each(all.filter(({ line }) => line.startsWith('bench ')))(
    '$line is what the program takes',
    async ({ line, name }) => {
      const [, ...args] = wordsOf(line.replace(/ \|.*/, ''));
      const program = await buildProgram(context, args[0]);
      program.hook('preAction', (_program, command) => {
        throw new Parsed(command);
      });
      const parsed: unknown = await program.parseAsync(args, { from: 'user' }).catch((error: unknown) => error);
      expect(parsed).toBeInstanceOf(Parsed);
      const { command } = parsed as Parsed;
      expect([command.name(), command.parent?.name()]).toContain(name);
    },
  );

  it('stand in the help of their command', async () => {
    let help = '';
    const program = await buildProgram(context, 'sql');
    const [sql] = program.commands;
    sql?.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
    expect(help).toContain("Examples:\n  bench sql 'select");
  });
});
