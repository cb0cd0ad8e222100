import type { CommandDoc } from './command-doc.js';
import { shellWord } from '../text/shell-word.js';

/** A JSON value as the text of an argument. */
export function argumentText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return value;
  return JSON.stringify(value);
}

/** How the command is called: as documented, or from its name and arguments. */
export function signatureOf(command: CommandDoc): string {
  if (command.signature !== undefined) return command.signature;
  const words = command.arguments.map(({ name, required }) => (required ? `<${name}>` : `[<${name}>]`));
  return [command.name, ...words].join(' ');
}

const PLACEHOLDER = /(["']?)<([^<>]+)>\1/g;
/** A line of a signature that is nothing but a placeholder: its value is lines of text. */
const TEXT_LINE = /^<([^<>]+)>$/;

/** The value as lines of text, each with its end: the end of the last one may be left out, and no text is no line. */
const asLines = (value: unknown): string[] => {
  const text = argumentText(value);
  return text === '' ? [] : [text.replace(/\r?\n$/, '')];
};

/** Words of the signature's line: brackets around optional ones go, what is missing stays empty, values are quoted. */
const filled = (line: string, given: Record<string, unknown>): string =>
  line
    .replace(/[[\]]/g, '')
    // The signature's own quotes around a placeholder go.
    .replace(PLACEHOLDER, (_, _quote: string, name: string) => {
      const value = Object.hasOwn(given, name) ? given[name] : undefined;
      return value === null || value === undefined ? '' : shellWord(argumentText(value));
    })
    .trim();

/**
 * The signature with its `<placeholders>` filled. In a command of several lines (with `endName`) a placeholder that has a line of its
 * own stands for text, which goes there as it is.
 */
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

/** What keeps these arguments from being put into a command of several lines, in words for the model; null: nothing. */
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
