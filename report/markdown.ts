import { facts } from './facts.js';
import type { ReportData } from './report-data.js';
import { runsByTask } from './runs-tables.js';
import { sections } from './sections.js';
import { escapeMarkdown, tableMarkdown } from './table.js';

/** The report's words and tables; charts have none. */
export function reportMarkdown(data: ReportData): string {
  const body = sections(data).flatMap(({ title, parts }) => {
    const blocks = parts.flatMap((part) =>
      part.kind === 'table' ? [tableMarkdown(part.table)] : part.kind === 'text' ? [`${part.text}\n`] : [],
    );
    // A section of charts alone says nothing here.
    return parts.some(({ kind }) => kind === 'table') || parts.every(({ kind }) => kind === 'text')
      ? [`## ${title}`, '', ...blocks]
      : [];
  });
  return [
    `# ${escapeMarkdown(data.subject)}`,
    '',
    ...facts(data).map(([name, value]) => `- ${name}: ${escapeMarkdown(value)}`),
    '',
    ...body,
    '## Runs',
    '',
    ...runsByTask(data).flatMap(({ cells }) => cells.map(({ table }) => tableMarkdown(table))),
  ].join('\n');
}
