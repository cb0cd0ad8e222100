import { InvalidArgumentError, Option } from 'commander';
import { BACKENDS } from '../domain/run/run.js';
import { suggestion } from '../domain/text/closest.js';

export function wholeNumber(min: number, max = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^-?\d+$/.test(text.trim()) || value < min || value > max) {
      const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`;
      throw new InvalidArgumentError(`It must be a whole number ${range}.`);
    }
    return value;
  };
}

/** `a,b,c`, repeatable. */
export function commaList(text: string, before: string[] | undefined): string[] {
  // The shell ends an argument at a space: `a, b` comes as `a,` and `b`.
  if (/^\s*,|,\s*$/.test(text)) throw new InvalidArgumentError('Put no space before or after a comma: a,b,c.');
  const names = text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  if (names.length === 0) throw new InvalidArgumentError('Give at least one.');
  return [...(before ?? []), ...names];
}

export function numberBetween(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d+(\.\d+)?$/.test(text.trim()) || value < min || value > max)
      throw new InvalidArgumentError(`It must be a number from ${min} to ${max}.`);
    return value;
  };
}

/** US dollars, kept as the exact text: `5`, `0.25`. */
export function usDollars(text: string): string {
  if (!/^\d{1,9}(\.\d{1,10})?$/.test(text.trim()) || Number(text) === 0)
    throw new InvalidArgumentError('Write it as US dollars above zero: 5, 0.25.');
  return text.trim();
}

export const backendOption = (): Option =>
  new Option(
    '--backend <backend>',
    'where agents run; default: docker or podman if it answers, else local for scripted models',
  ).choices([...BACKENDS]);

/** Known words, comma-separated; the error names the first unknown one and a similar one. */
export const commaListOf =
  (what: string, known: readonly string[]) =>
  (text: string, before: unknown): string[] => {
    const words = commaList(text, before as string[] | undefined);
    const unknown = words.find((word) => !known.includes(word));
    if (unknown !== undefined)
      throw new InvalidArgumentError(`There is no ${what} "${unknown}". ${suggestion(unknown, known)}`);
    return words;
  };
