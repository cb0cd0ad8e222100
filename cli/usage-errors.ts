import type { Command, CommanderError } from 'commander';
import { closest } from '../domain/text/closest.js';

/** `bench tasks show`. */
export const fullName = (command: Command): string =>
  command.parent === null ? command.name() : `${fullName(command.parent)} ${command.name()}`;

const hints = new WeakMap<CommanderError, string>();

/** Mistakes in this command's arguments end with a hint at its help. */
export function hintAtHelp(command: Command): void {
  const hint =
    command.parent === null
      ? `See \`${fullName(command)} --help\` for the commands.`
      : `See \`${fullName(command)} --help\`.`;
  command.showHelpAfterError(hint).exitOverride((error) => {
    hints.set(error, hint);
    throw error;
  });
}

export const helpHint = (error: CommanderError): string | null => hints.get(error) ?? null;

/** Replaces commander's refusal, which only counts arguments. Throws CommanderError. */
export function refuseExcess(command: Command): void {
  const { registeredArguments, args, parent } = command;
  const excess = args[registeredArguments.length];
  if (excess === undefined || registeredArguments.at(-1)?.variadic === true) return;
  const code = { code: 'commander.excessArguments' };
  // `bench tasks shwo` reaches the default command, which takes no arguments.
  if (registeredArguments.length === 0 && parent !== null && !parent.args.includes(command.name()))
    parent.error(unknownText(parent, excess), code);
  const taken = registeredArguments.map((one) => `<${one.name()}>`).join(' ');
  command.error(
    excess.startsWith(',')
      ? `error: unexpected argument '${excess}': put no space before or after a comma`
      : `error: unexpected argument '${excess}': '${fullName(command)}' takes ${taken === '' ? 'none' : `only ${taken}`}`,
    code,
  );
}

/** commander prints the nearest help, also for a name that does not exist. Throws its error. */
export function refuseUnknownHelp(program: Command, args: readonly string[]): void {
  const named = args[0] === 'help' ? args.slice(1) : args;
  if (named === args && !args.some((arg) => arg === '--help' || arg === '-h')) return;
  let command = program;
  for (const name of named) {
    const known = command.commands.find((one) => one.name() === name);
    const hasDefault = command.commands.find((one) => one.name() === defaultOf(command));
    if (known === undefined) {
      const takesArguments = (hasDefault ?? command).registeredArguments.length > 0;
      if (name.startsWith('-') || name === 'help' || takesArguments || command.commands.length === 0) return;
      return command.error(unknownText(command, name), { code: 'commander.unknownCommand' });
    }
    command = known;
  }
}

/** commander keeps it to itself. */
const defaultOf = (command: Command): string | null | undefined =>
  (command as unknown as { _defaultCommandName?: string | null })._defaultCommandName;

/** Commands of earlier versions. */
const RENAMED: Readonly<Record<string, string>> = {
  ui: 'serve`, `bench page` or `bench tokens',
  comparison: 'comparisons',
  'search-tree': 'tree',
};

/** Throws CommanderError for a renamed command. */
export function refuseRenamed(program: Command, name: string | undefined): void {
  if (name === undefined || !Object.hasOwn(RENAMED, name)) return;
  program.error(`error: unknown command '${name}'\n(Use \`bench ${RENAMED[name]}\` instead.)`, {
    code: 'commander.unknownCommand',
  });
}

function unknownText({ commands }: Command, name: string): string {
  const names = commands.map((one) => one.name());
  const near = closest(name, names);
  return `error: unknown command '${name}'\n(${near === null ? `There are: ${names.join(', ')}` : `Did you mean ${near}?`})`;
}
