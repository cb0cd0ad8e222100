/** A benchmark's output and machine: `benchmarks/results/<benchmark>.json`. */
export interface BenchmarkResult {
  benchmark: string;
  options: string[];
  /** ISO 8601. */
  date: string;
  cores: number;
  node: string;
  /** Load average of the minute before, the machine's other work. */
  load: number;
  result: Record<string, unknown>;
}

type Fields = Record<string, unknown>;
const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isRows = (value: unknown): value is Fields[] => Array.isArray(value) && value.length > 0 && value.every(isFields);

function flat(fields: Fields, prefix = ''): Fields {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([key, value]) =>
      isFields(value) ? Object.entries(flat(value, `${prefix}${key}.`)) : [[`${prefix}${key}`, value] as const],
    ),
  );
}

/** A measurement has no more than three digits. */
function shown(value: unknown): string {
  if (typeof value === 'number')
    return Number.isInteger(value) ? value.toLocaleString('en') : Number(value.toPrecision(3)).toLocaleString('en');
  if (Array.isArray(value)) return value.map(shown).join(', ');
  if (value === null || value === undefined) return '–';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

const words = (key: string): string => key.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();

function table(rows: Fields[]): string[] {
  const flattened = rows.map((row) => flat(row));
  const columns = [...new Set(flattened.flatMap((row) => Object.keys(row)))];
  const line = (cells: string[]): string => `| ${cells.join(' | ')} |`;
  return [
    line(columns.map(words)),
    line(columns.map(() => '---')),
    ...flattened.map((row) => line(columns.map((column) => shown(row[column])))),
  ];
}

/** Lists, or objects alone, become tables of their own. */
const holdsTables = (fields: Fields): boolean => {
  const values = Object.values(fields);
  return values.every(isFields) || values.some((value) => isRows(value) || (isFields(value) && holdsTables(value)));
};

/** Figures on a line; objects of figures as a table; lists and deeper objects under headings. */
function figures(fields: Fields, heading: string): string[] {
  const entries = Object.entries(fields);
  const single = entries.filter(([, value]) => !isRows(value) && !isFields(value));
  const parts = entries.flatMap(([part, value]) =>
    isFields(value) && !holdsTables(value) ? [{ part: words(part), ...value }] : [],
  );
  return [
    ...(single.length === 0 ? [] : [single.map(([key, value]) => `${words(key)}: ${shown(value)}`).join(' · '), '']),
    ...(parts.length === 0 ? [] : [...table(parts), '']),
    ...entries.flatMap(([key, value]) => {
      if (isRows(value)) return [`${heading} ${words(key)}`, '', ...table(value), ''];
      return isFields(value) && holdsTables(value)
        ? [`${heading} ${words(key)}`, '', ...figures(value, `${heading}#`)]
        : [];
    }),
  ];
}

function section({ benchmark, options, date, cores, node, load, result }: BenchmarkResult): string[] {
  const { benchmark: _name, ...measured } = result;
  return [
    `## ${benchmark}`,
    '',
    `\`npm run benchmark:${benchmark}${options.length === 0 ? '' : ` -- ${options.join(' ')}`}\`, ${date}, ` +
      `${cores} cores, load ${load.toFixed(1)} before, Node.js ${node}`,
    '',
    ...figures(measured, '###'),
  ];
}

export function resultsPage(results: readonly BenchmarkResult[]): string {
  const sorted = results.toSorted((a, b) => (a.benchmark < b.benchmark ? -1 : 1));
  return [
    '# Benchmark results',
    '',
    'Generated: `npm run build && npm run benchmark:record -- <name> [options]` measures, stores `results/<name>.json` and writes this page.',
    'The head of each benchmark in this folder says what it measures. Times are milliseconds unless a column says otherwise.',
    '',
    '<!-- prettier-ignore-start -->',
    '',
    ...sorted.flatMap(section),
    '<!-- prettier-ignore-end -->',
    '',
  ].join('\n');
}
