import type { Command } from 'commander';

export type Example = readonly [line: string, about: string];

const examples = new WeakMap<Command, readonly Example[]>();

export function addExamples(command: Command, lines: readonly Example[]): void {
  examples.set(command, lines);
  const width = Math.max(...lines.map(([line]) => line.length));
  const text = lines.map(([line, about]) => `  ${line.padEnd(width)}   ${about}`.trimEnd());
  command.addHelpText('after', ['', 'Examples:', ...text].join('\n'));
}

export const examplesOf = (command: Command): readonly Example[] => examples.get(command) ?? [];
