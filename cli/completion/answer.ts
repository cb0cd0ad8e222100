import { knownNames } from '../../operations/catalog/known-names.js';
import { idsBeginning, type KnownId } from '../../operations/results/ids-beginning.js';
import type { CliContext } from '../context.js';
import { buildProgram } from '../program.js';
import { type Asked, asked, type Candidate, type NameKind } from './asked.js';
import { FILES } from './scripts.js';

/** A shell waits for the answer while a person types. */
const DATABASE_MS = 1000;

const candidate = ({ id, about }: KnownId): Candidate => ({ value: id, about });

async function named({ settings }: CliContext, kind: NameKind, typed: string): Promise<Candidate[]> {
  switch (kind) {
    case 'file':
      return [];
    case 'run':
    case 'batch':
    case 'comparison':
      return (await idsBeginning(settings, kind, typed, DATABASE_MS)).map(candidate);
    default:
      return knownNames(settings, kind).map((value) => ({ value, about: kind }));
  }
}

const line = ({ value, about }: Candidate, prefix: string): string =>
  `${prefix}${value}\t${about.replace(/\s+/g, ' ')}`;

/** The answer to a shell: see CANDIDATES. Starts nothing; failed look-ups give no candidates. */
export async function completionLines(context: CliContext, words: readonly string[]): Promise<string[]> {
  const program = await buildProgram(context, words.length > 1 ? words[0] : undefined);
  const { prefix, typed, known, kinds }: Asked = asked(program, words);
  const found = await Promise.all(kinds.map((kind) => named(context, kind, typed).catch(() => [])));
  const all = [...known, ...found.flat()].filter(({ value }) => value.startsWith(typed));
  if (all.length === 0 && kinds.includes('file')) return [FILES];
  return all.map((one) => line(one, prefix));
}
