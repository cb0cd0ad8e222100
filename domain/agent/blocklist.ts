import { guardMultiline } from './guard-multiline.js';
import { type SimpleCommand, simpleCommands } from './shell-commands.js';
import type { CommandDoc } from './command-line.js';

export interface Blocklists {
  blocklist: readonly string[];
  blocklistStandalone: readonly string[];
}

export interface BlockedCommand {
  /** As written. */
  command: string;
  /** For the model. */
  problem: string;
}

/** Commands that run another one: their options with a value, and their words before it. */
const RUNNERS: Readonly<Record<string, { valued: readonly string[]; operands: number }>> = {
  builtin: { valued: [], operands: 0 },
  command: { valued: [], operands: 0 },
  env: { valued: ['-u', '-C', '--unset', '--chdir'], operands: 0 },
  exec: { valued: ['-a'], operands: 0 },
  nice: { valued: ['-n', '--adjustment'], operands: 0 },
  nohup: { valued: [], operands: 0 },
  setsid: { valued: [], operands: 0 },
  stdbuf: { valued: ['-i', '-o', '-e'], operands: 0 },
  sudo: { valued: ['-u', '-g', '-h', '-p'], operands: 0 },
  time: { valued: ['-f', '-o'], operands: 0 },
  timeout: { valued: ['-s', '-k'], operands: 1 },
};

const baseOf = (word: string): string => word.slice(word.lastIndexOf('/') + 1);

/** The command, the one that it runs, and so on, each with its own words. */
export function commandsWithin(words: readonly string[]): string[][] {
  const within: string[][] = [];
  let rest = [...words];
  while (rest.length > 0) {
    within.push(rest);
    const runner = Object.hasOwn(RUNNERS, baseOf(rest[0]!)) ? RUNNERS[baseOf(rest[0]!)] : undefined;
    if (runner === undefined) break;
    // `command -v git` asks where it is and runs nothing.
    if (baseOf(rest[0]!) === 'command' && /^-\w*[vV]/.test(rest[1] ?? '')) break;
    let next = 1;
    while (/^-|^[A-Za-z_]\w*=/.test(rest[next] ?? '')) next += runner.valued.includes(rest[next] ?? '') ? 2 : 1;
    rest = rest.slice(next + runner.operands);
  }
  return within;
}

const named = (list: readonly string[], word: string): boolean => list.includes(word) || list.includes(baseOf(word));

function refusal({ words, hasInput }: SimpleCommand, lists: Blocklists): BlockedCommand | null {
  for (const [command = '', ...operands] of commandsWithin(words)) {
    if (named(lists.blocklist, command)) {
      return { command, problem: `\`${command}\` is not available here` };
    }
    if (operands.length === 0 && !hasInput && named(lists.blocklistStandalone, command)) {
      return {
        command,
        problem: `\`${command}\` alone starts an interactive session, and there is no terminal; give it something to run`,
      };
    }
  }
  return null;
}

/** Compares whole words, with or without a path. Text for `edit` is not examined. */
export function blockedCommand(
  action: string,
  lists: Blocklists,
  commands: readonly CommandDoc[] = [],
): BlockedCommand | null {
  if (lists.blocklist.length === 0 && lists.blocklistStandalone.length === 0) return null;
  const guarded = guardMultiline(action, commands);
  // Without an end it is refused later, with an error for the model.
  if (guarded.kind === 'malformed') return null;
  for (const command of simpleCommands(guarded.script)) {
    const blocked = refusal(command, lists);
    if (blocked !== null) return blocked;
  }
  return null;
}
