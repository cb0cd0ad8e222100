import type { RemedyFields } from '../../domain/errors.js';
import { flagOf } from '../schema-flags.js';

/** A remedy with its options as this command line spells them: `… (--name, --into spring).` */
export function remedyText(remedy: string, fields: RemedyFields = {}): string {
  const flags = Object.entries(fields).map(([name, value]) =>
    value === true ? flagOf(name) : `${flagOf(name)} ${value}`,
  );
  if (flags.length === 0) return remedy;
  const stop = remedy.endsWith('.') ? '.' : '';
  return `${remedy.slice(0, remedy.length - stop.length)} (${flags.join(', ')})${stop}`;
}
