import { shellWord } from '../text/shell-word.js';

export interface CommandDoc {
  name: string;
  docstring: string;
  /** `edit <start>:<end>`, `open "<path>" [<line>]`; default: from name and arguments. */
  signature?: string | undefined;
  /** Last line of a multiline command. */
  endName?: string | undefined;
  arguments: { name: string; type: string; description: string; required: boolean }[];
}

export function argumentText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return value;
  return JSON.stringify(value);
}

export function signatureOf(command: CommandDoc): string {
  if (command.signature !== undefined) return command.signature;
  const words = command.arguments.map(({ name, required }) => (required ? `<${name}>` : `[<${name}>]`));
  return [command.name, ...words].join(' ');
}

const PLACEHOLDER = /(["']?)<([^<>]+)>\1/g;
/** Its value is lines of text. */
const TEXT_LINE = /^<([^<>]+)>$/;

/** Each line with its end; an empty text has no lines. */
const asLines = (value: unknown): string[] => {
  const text = argumentText(value);
  return text === '' ? [] : [text.replace(/\r?\n$/, '')];
};

/** Drops brackets around optional words, leaves missing values empty, quotes the others. */
const filled = (line: string, given: Record<string, unknown>): string =>
  line
    .replace(/[[\]]/g, '')
    // Drop the signature's own quotes around a placeholder.
    .replace(PLACEHOLDER, (_, _quote: string, name: string) => {
      const value = Object.hasOwn(given, name) ? given[name] : undefined;
      return value === null || value === undefined ? '' : shellWord(argumentText(value));
    })
    .trim();

/** In a multiline command (with `endName`), a placeholder on its own line is verbatim text. */
export function commandLine(command: CommandDoc, given: Record<string, unknown>): string {
  if (command.endName === undefined) return filled(signatureOf(command), given);
  return signatureOf(command)
    .split('\n')
    .flatMap((line) => {
      const name = TEXT_LINE.exec(line)?.[1];
      if (name === undefined) return [filled(line, given)];
      return asLines(Object.hasOwn(given, name) ? given[name] : undefined);
    })
    .join('\n');
}

/** Why these arguments do not fit a multiline command, for the model; null: they do. */
export function unusableText(command: CommandDoc, given: Record<string, unknown>): string | null {
  const { endName } = command;
  if (endName === undefined) return null;
  const holdsEnd = (value: unknown) =>
    argumentText(value)
      .split('\n')
      .some((line) => line.trim() === endName);
  const name = Object.keys(given).find((key) => holdsEnd(given[key]));
  return name === undefined
    ? null
    : `"${name}" of ${command.name} holds a line ${endName}, which would end its text: leave that line out`;
}
