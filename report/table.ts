import { html, type Html } from './html.js';

export interface Column<Row> {
  title: string;
  value: (row: Row) => string;
  align?: 'right';
  /** A class of the cell. */
  shade?: (row: Row) => string;
  /** Where its text leads to. */
  link?: ((row: Row) => string) | undefined;
}

/** A table in every format: the first column names the row. */
export interface ReportTable {
  caption: string;
  head: { title: string; align: 'left' | 'right' }[];
  body: { text: string; shade: string; link?: string | undefined }[][];
}

export const tableOf = <Row>(caption: string, columns: readonly Column<Row>[], rows: readonly Row[]): ReportTable => ({
  caption,
  head: columns.map(({ title, align }) => ({ title, align: align ?? 'left' })),
  body: rows.map((row) =>
    columns.map(({ value, shade, link }) => ({ text: value(row), shade: shade?.(row) ?? '', link: link?.(row) })),
  ),
});

/** In a box of its own that scrolls; keyboards reach it. */
export function tableHtml({ caption, head, body }: ReportTable): Html {
  const side = (i: number, more = ''): string =>
    [...(head[i]?.align === 'right' ? ['number'] : []), ...(more === '' ? [] : [more])].join(' ');
  return html`<div class="scroll" tabindex="0" role="group" aria-label="${caption}">
    <table>
      <caption>
        ${caption}
      </caption>
      <thead>
        <tr>
          ${head.map(({ title }, i) => html`<th scope="col" class="${side(i)}">${title}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${body.map(
          (cells) =>
            html`<tr>
              ${cells.map(({ text, shade, link }, i) =>
                i === 0
                  ? html`<th scope="row" class="${shade}">
                      ${link === undefined ? text : html`<a href="${link}">${text}</a>`}
                    </th>`
                  : html`<td class="${side(i, shade)}">${text}</td>`,
              )}
            </tr> `,
        )}
      </tbody>
    </table>
  </div>`;
}

/** Markdown's own signs, and its HTML, are text in a name. */
export const escapeMarkdown = (text: string): string =>
  text
    .replace(/[\\`*_{}[\]<>#|~&]/g, (char) => `\\${char}`)
    .replace(/\s+/g, ' ')
    .trim();

export function tableMarkdown({ caption, head, body }: ReportTable): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [
    `**${escapeMarkdown(caption)}**`,
    '',
    line(head.map(({ title }) => escapeMarkdown(title))),
    line(head.map(({ align }) => (align === 'right' ? '---:' : '---'))),
    ...body.map((cells) => line(cells.map(({ text }) => escapeMarkdown(text)))),
    '',
  ].join('\n');
}
