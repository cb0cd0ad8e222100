import { breakdownChart, MOST_BARS } from './breakdown-chart.js';
import { chartHtml } from './chart-html.js';
import { facts } from './facts.js';
import { html, Html } from './html.js';
import { plural } from './numbers.js';
import type { ReportData } from './report-data.js';
import { type RunsOfTask, runsByTask, runsPerCell } from './runs-tables.js';
import type { Section, SectionPart } from './section.js';
import { sections } from './sections.js';
import { legend } from './series.js';
import { STYLE } from './style.js';
import { type ReportTable, tableHtml } from './table.js';

/** One file that loads nothing: it has no script, and its policy forbids them. */
export function reportDocument(data: ReportData): string {
  const all = sections(data);
  const title = `${data.subject}: report of bench`;
  const { markup } = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'" />
        <meta name="color-scheme" content="light dark" />
        <title>${title}</title>
        <style>
          ${new Html(STYLE)}
        </style>
      </head>
      <body>
        <header>
          <h1>${data.subject}</h1>
          <dl>
            ${facts(data).map(
              ([name, value]) =>
                html`<dt>${name}</dt>
                  <dd>${value}</dd>`,
            )}
          </dl>
          <nav aria-label="Sections">
            <ul>
              ${[...all, { id: 'runs', title: 'Runs' }].map(
                (section) => html`<li><a href="#${section.id}">${section.title}</a></li>`,
              )}
            </ul>
          </nav>
        </header>
        <main>${all.map(sectionHtml)} ${runsHtml(runsByTask(data, runsPerCell(data)))}</main>
        <footer>
          Made by bench ${data.harnessVersion}. How scores become ranks and areas: docs/concepts/leaderboard.md.
        </footer>
      </body>
    </html>`;
  return `${markup}\n`;
}

const sectionHtml = ({ id, title, parts }: Section): Html =>
  html`<section id="${id}" aria-labelledby="${id}-title">
    <h2 id="${id}-title">${title}</h2>
    ${parts.map(partHtml)}
  </section> `;

function partHtml(part: SectionPart): Html {
  switch (part.kind) {
    case 'text':
      return html`<p>${part.text}</p>`;
    case 'table':
      return html`${part.shades === true ? SHADE_LEGEND : ''}${tableHtml(firstRows(part.table))}${
        part.table.body.length <= MOST_ROWS
          ? ''
          : html`<p>And ${plural(part.table.body.length - MOST_ROWS, 'more row')}: ${ALL_RUNS}</p>`
      }`;
    case 'chart': {
      const { chart, legend: key } = part;
      const drawn = html`<h3>${chart.title}</h3>
        ${chartHtml(chart)}`;
      return key === undefined
        ? drawn
        : html`${drawn}${legend(key.entries, key.form, key.narrow === true ? 'narrow' : '')}`;
    }
    case 'breakdown':
      return html`<h3>${part.breakdown.title}</h3>
        ${legend(part.breakdown.parts, 'area')}${chartHtml(breakdownChart(part.breakdown))}${
          part.breakdown.rows.length <= MOST_BARS
            ? ''
            : html`<p>Drawn: the first ${MOST_BARS}; the table lists all.</p>`
        }`;
  }
}

/** Rows of a table that a page shows. */
const MOST_ROWS = 1000;

const firstRows = (table: ReportTable): ReportTable => ({ ...table, body: table.body.slice(0, MOST_ROWS) });

const ALL_RUNS = 'the report as Markdown has all of them.';

const SHADE_LEGEND = html`<ul class="shades">
  ${['the best', 'up to 1.1×', 'up to 1.5×', 'up to 3×', 'more than 3×'].map(
    (label, i) => html`<li class="heat-${i}">${label}</li>`,
  )}
  <li class="below">below the baseline</li>
</ul>`;

const runsHtml = (tasks: readonly RunsOfTask[]): Html =>
  html`<section id="runs" aria-labelledby="runs-title">
    <h2 id="runs-title">Runs</h2>
    <p>
      The runs behind each number. <code>bench show</code> and <code>bench trajectory</code> with a run's id show more.
    </p>
    ${tasks.map(
      ({ task, cells }) =>
        html`<h3>${task.task} <small>(${task.name}; ${plural(cells.length, 'model')})</small></h3>
          ${cells.map(
            ({ model, left, summary, table }) =>
              html`<details>
                <summary>${model}: <span>${summary}</span></summary>
                ${tableHtml(table)}${left === 0 ? '' : html`<p>And ${plural(left, 'more run', 'more runs')}: ${ALL_RUNS}</p>`}
              </details> `,
          )}`,
    )}
  </section>`;
