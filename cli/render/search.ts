import { plural } from '../../domain/text/format.js';
import type { Colors } from 'picocolors/types.js';
import type { SearchDocument, SearchHit } from '../../domain/views/search.js';
import { oneLine } from './format.js';

/** More than an excerpt has. */
const WIDTH = 400;

const placeOf = ({ step, in: place, path }: SearchHit): string =>
  `${step === null ? 'run' : `step ${step}`}, ${path === null ? place : `file ${oneLine(path, 100)}`}`;

/** Hits grouped by run; `last`: the run whose hits were printed before. */
export function renderSearch(hits: readonly SearchHit[], last: string | null, colors: Colors): string {
  const lines: string[] = [];
  let run = last;
  for (const hit of hits) {
    if (hit.runId !== run)
      lines.push(
        ...(run === null ? [] : ['']),
        `${colors.bold(hit.runId)} ${oneLine(`${hit.model} · ${hit.task} · ${hit.attempt}`, 200)}`,
      );
    run = hit.runId;
    const { before, match, after } = hit.excerpt ?? { before: '', match: '', after: '' };
    // Spaces at the ends of parts are the text's own.
    const part = (text: string): string => oneLine(`|${text}|`, WIDTH).slice(1, -1);
    lines.push(`  ${colors.dim(`${placeOf(hit)}:`)} ${part(before)}${colors.yellow(part(match))}${part(after)}`);
  }
  return lines.join('\n');
}

export function renderSearched({ hits, runs, totalRuns, steps, skipped, more }: SearchDocument): string {
  const found = `${plural(hits.length, 'hit')} in ${plural(new Set(hits.map(({ runId }) => runId)).size, 'run')}`;
  const read = more
    ? `; ${plural(runs, 'run')} of ${totalRuns} were read`
    : ` of ${totalRuns}, ${plural(steps, 'step')}`;
  return `${found}${read}${skipped === 0 ? '' : `; ${plural(skipped, 'step')} took too long and were skipped`}`;
}
