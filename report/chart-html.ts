// echarts: axes, ticks and steps by a library that draws to SVG without a browser.
import * as echarts from 'echarts';
import { type Chart, TEXT } from './chart.js';
import { escapeHtml, html, Html } from './html.js';

/** Of a desktop and of a phone: text keeps its size, the style sheet shows the one that fits. */
const WIDTHS = { wide: 860, narrow: 350 } as const;

export function chartHtml(chart: Chart): Html {
  const drawn = (['wide', 'narrow'] as const).map((form) => {
    const { height, option } = chart.draw(WIDTHS[form], form === 'narrow');
    return html`<div class="${form}">${svgOf(chart, form, WIDTHS[form], height, option)}</div>`;
  });
  return html`<figure>${drawn}</figure>`;
}

function svgOf(
  { id, title, description }: Chart,
  form: string,
  width: number,
  height: number,
  option: echarts.EChartsOption,
): Html {
  const chart = echarts.init(null, null, { renderer: 'svg', ssr: true, width, height });
  try {
    chart.setOption({ animation: false, backgroundColor: 'transparent', textStyle: TEXT, ...option });
    const svg = chart
      .renderToSVGString()
      // Rules and marks for a script that follows the pointer: there is none.
      .replace(/<style\s*>[\s\S]*?<\/style>/g, '')
      .replace(/ (?:class|ecmeta_\w+|pointer-events)="[^"]*"/g, '')
      .replaceAll('font-family:inherit;', '');
    const name = escapeHtml(`${id}-${form}`);
    const opening = `<svg role="img" aria-labelledby="${name}-title ${name}-desc" viewBox="0 0 ${width} ${height}" style="max-width:${width}px"><title id="${name}-title">${escapeHtml(title)}</title><desc id="${name}-desc">${escapeHtml(description)}</desc>`;
    return new Html(svg.replace(/^<svg[^>]*>/, () => opening));
  } finally {
    chart.dispose();
  }
}
