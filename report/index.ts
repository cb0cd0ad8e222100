import { reportCsv } from './csv.js';
import { reportDocument } from './document.js';
import { reportMarkdown } from './markdown.js';
import type { ReportData } from './report-data.js';

export type { ReportData } from './report-data.js';

export const writeReport = { html: reportDocument, md: reportMarkdown, csv: reportCsv } as const satisfies Record<
  string,
  (data: ReportData) => string
>;
