import type { Argument, Command, Option } from 'commander';
import { EVENT_KINDS } from '../../domain/run/event-kinds.js';

/** Names of configurations, ids of the home, files of this machine. */
export type NameKind = 'model' | 'task' | 'suite' | 'agent' | 'batch' | 'run' | 'comparison' | 'file';

export interface Candidate {
  value: string;
  about: string;
}

export interface Asked {
  /** Before each candidate: `--backend=`, `first,second,`. */
  prefix: string;
  typed: string;
  known: Candidate[];
  kinds: readonly NameKind[];
}

interface Values {
  kinds: readonly NameKind[];
  list?: boolean;
  known?: readonly string[];
}

const FILE: Values = { kinds: ['file'] };
const BATCH: Values = { kinds: ['batch'] };

/** By the option's long name, or with its placeholder where a name has two meanings. */
const OF_OPTION: Readonly<Record<string, Values>> = {
  '--into <folder>': FILE,
  '--metrics <[host:]port>': { kinds: [] },
  '--model': { kinds: ['model'] },
  '--models': { kinds: ['model'], list: true },
  '--task': { kinds: ['task'] },
  '--tasks': { kinds: ['task', 'suite'], list: true, known: ['all'] },
  '--suite': { kinds: ['suite'] },
  '--agent': { kinds: ['agent'] },
  '--batch': BATCH,
  '--into': BATCH,
  '--view': { kinds: ['comparison'] },
  '--kind <kinds>': { kinds: [], list: true, known: EVENT_KINDS },
  '--file': FILE,
  '--output': FILE,
  '--report': FILE,
  '--trust': FILE,
  '--from <folder>': FILE,
  '--data': FILE,
  '--config-dir': FILE,
};

/** By the argument's name. */
const OF_ARGUMENT: Readonly<Record<string, Values>> = {
  run: { kinds: ['run'] },
  batch: BATCH,
  id: { kinds: ['batch', 'run'] },
  what: { kinds: ['batch', 'comparison'] },
  recording: { kinds: ['run', 'file'] },
  task: { kinds: ['task'] },
  tasks: { kinds: ['task'], known: ['all'] },
  models: { kinds: ['model'] },
  folders: FILE,
  file: FILE,
  paths: FILE,
  checkout: FILE,
};

const plain = (values: readonly string[]): Candidate[] => values.map((value) => ({ value, about: '' }));

const valuesOf = (item: Option | Argument): Values => {
  if (item.argChoices !== undefined) return { kinds: [], known: item.argChoices };
  if ('flags' in item) {
    const placeholder = /<.*>/.exec(item.flags)?.[0] ?? '';
    return OF_OPTION[`${item.long} ${placeholder}`] ?? OF_OPTION[item.long ?? ''] ?? { kinds: [] };
  }
  return OF_ARGUMENT[item.name()] ?? { kinds: [] };
};

function askedValue(item: Option | Argument, text: string, before = ''): Asked {
  const { kinds, list = false, known = [] } = valuesOf(item);
  const at = list ? text.lastIndexOf(',') + 1 : 0;
  return { prefix: before + text.slice(0, at), typed: text.slice(at), known: plain(known), kinds };
}

const aboutOf = (command: Command): string => command.summary() || command.description();

/** commander has no public name for it. */
const defaultOf = (command: Command): Command | undefined => {
  const { _defaultCommandName: name } = command as unknown as { _defaultCommandName?: string };
  return command.commands.find((one) => one.name() === name);
};

const optionsOf = (command: Command): readonly Option[] => [...command.options, ...(defaultOf(command)?.options ?? [])];

const isNamed = (option: Option, word: string): boolean => [option.long, option.short].includes(word);

/** The values that fit the last of `words`, which omit the program's name. */
export function asked(program: Command, words: readonly string[]): Asked {
  const before = words.slice(0, -1);
  const typed = words.at(-1) ?? '';
  let command = program;
  let open: Option | undefined;
  let onlyArguments = false;
  let given = 0;
  for (const word of before) {
    if (open !== undefined) open = undefined;
    else if (!onlyArguments && word === '--') onlyArguments = true;
    else if (!onlyArguments && word.startsWith('-') && word !== '-')
      open = optionsOf(command).find((option) => option.required && isNamed(option, word));
    else {
      const child: Command | undefined =
        given > 0 ? undefined : command.commands.find((one) => one.name() === word || one.aliases().includes(word));
      if (child === undefined) given += 1;
      else command = child;
    }
  }
  if (open !== undefined) return askedValue(open, typed);
  const nothing: Asked = { prefix: '', typed, known: [], kinds: [] };
  if (!onlyArguments && typed.startsWith('-')) {
    const [flag = '', value] = typed.split(/=(.*)/s);
    const option =
      value === undefined ? undefined : optionsOf(command).find((one) => one.required && isNamed(one, flag));
    if (option !== undefined) return askedValue(option, value ?? '', `${flag}=`);
    const known = optionsOf(command).filter((one) => !one.hidden && one.long != null);
    return {
      ...nothing,
      known: [
        ...known.map((one) => ({ value: one.long ?? '', about: one.description })),
        { value: '--help', about: 'show the help of the command' },
      ],
    };
  }
  if (command.commands.length > 0 && given === 0) {
    const first = defaultOf(command)?.registeredArguments[0];
    const { known, kinds } = first === undefined ? nothing : askedValue(first, typed);
    const names = command.commands.map((one) => ({ value: one.name(), about: aboutOf(one) }));
    return { ...nothing, known: [...names, ...known], kinds };
  }
  const { registeredArguments } = (command.commands.length > 0 ? defaultOf(command) : undefined) ?? command;
  const argument = registeredArguments[given] ?? registeredArguments.findLast((one) => one.variadic);
  return argument === undefined ? nothing : askedValue(argument, typed);
}
