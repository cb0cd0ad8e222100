import { html, type Html } from './html.js';

/** How a model, or a part of a bar, is drawn: colour, dashes and symbol each tell it apart. Colours are CSS variables of style.ts. */
export interface SeriesStyle {
  color: string;
  dash: 'solid' | 'dashed' | 'dotted' | number[];
  symbol: 'circle' | 'rect' | 'triangle' | 'diamond';
}

/** Told apart by people who see few colours, and at least 3:1 against the page in both schemes. */
const COLORS = 8;
const DASHES = ['solid', 'dashed', 'dotted', [8, 3, 2, 3]] as const;
const SYMBOLS = ['circle', 'rect', 'triangle', 'diamond'] as const;

export const styleOf = (index: number): SeriesStyle => {
  const dash = DASHES[(index + Math.floor(index / COLORS)) % DASHES.length]!;
  return {
    color: `var(--series-${index % COLORS})`,
    dash: typeof dash === 'string' ? dash : [...dash],
    symbol: SYMBOLS[(index + Math.floor(index / COLORS)) % SYMBOLS.length]!,
  };
};

const dashArray = (dash: SeriesStyle['dash']): string =>
  dash === 'solid' ? 'none' : dash === 'dashed' ? '6 3' : dash === 'dotted' ? '2 2' : dash.join(' ');

export interface LegendEntry {
  label: string;
  style: SeriesStyle;
}

export const legend = (entries: readonly LegendEntry[], form: 'line' | 'area', more = ''): Html =>
  html`<ul class="legend ${more}">
    ${entries.map(
      ({ label, style }) =>
        html`<li>
          <svg width="26" height="12" aria-hidden="true">
            ${
              form === 'line'
                ? html`<path
                    d="M1 6H25"
                    stroke="${style.color}"
                    stroke-width="2.5"
                    stroke-dasharray="${dashArray(style.dash)}"
                  />`
                : html`<rect width="20" height="12" rx="2" fill="${style.color}" />`
            }</svg
          >${label}
        </li>`,
    )}
  </ul>`;
