import type { CommandDoc } from './commands.js';

/** A word as bash reads it back unchanged. */
const quoted = (word: string): string =>
  word !== '' && /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'"'"'`)}'`;

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

/**
 * The signature with its `<placeholders>` filled. Brackets around optional ones go, what is missing stays empty, values are
 * quoted (and the signature's own quotes around a placeholder go) unless the command has several lines.
 */
export function commandLine(command: CommandDoc, given: Record<string, unknown>): string {
  const several = command.endName !== undefined;
  return signatureOf(command)
    .replace(/[[\]]/g, '')
    .replace(/(["']?)<([^<>]+)>\1/g, (_, quote: string, name: string) => {
      const value = Object.hasOwn(given, name) ? given[name] : undefined;
      if (several) return `${quote}${argumentText(value)}${quote}`;
      return value === null || value === undefined ? '' : quoted(argumentText(value));
    })
    .trim();
}
