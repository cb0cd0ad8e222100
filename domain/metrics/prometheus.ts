/** Version 0.0.4: https://prometheus.io/docs/instrumenting/exposition_formats/ */
export const METRICS_CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

export interface Sample {
  labels?: Readonly<Record<string, string>>;
  value: number;
}

/** Units are part of the name: `_seconds`, `_usd`; counters end in `_total`. */
export interface MetricFamily {
  name: string;
  type: 'gauge' | 'counter';
  help: string;
  samples: readonly Sample[];
}

const escapeHelp = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
const escapeLabel = (text: string): string => escapeHelp(text).replaceAll('"', '\\"');

function formatValue(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  return String(value);
}

export function renderMetrics(families: readonly MetricFamily[]): string {
  return families
    .map(({ name, type, help, samples }) =>
      [
        `# HELP ${name} ${escapeHelp(help)}`,
        `# TYPE ${name} ${type}`,
        ...samples.map(({ labels = {}, value }) => {
          const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escapeLabel(text)}"`);
          return `${name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${formatValue(value)}`;
        }),
      ].join('\n'),
    )
    .map((block) => `${block}\n`)
    .join('');
}
