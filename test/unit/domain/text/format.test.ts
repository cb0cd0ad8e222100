import { expect, it } from 'vitest';
import {
  formatBytes,
  formatCompact,
  formatDuration,
  formatScore,
  formatUsd,
  plural,
} from '../../../../domain/text/format.js';

it.each([
  [formatScore, [1.44262, 0, 12_345.6, 1e-5, 123456789, null], ['1.443', '0', '12346', '1.000e-5', '1.235e+8', '–']],
  [
    formatDuration,
    [0, 0.4, 12, 999, 1000, 12_340, 59_949, 59_999, 60_000, 200_000, 3_600_000, 7_500_000, 86_400_000 * 3.5, null],
    [
      ...['0 ms', '< 1 ms', '12 ms', '999 ms', '1 s', '12.3 s', '59.9 s', '1 min', '1 min', '3 min 20 s', '1 h'],
      ...['2 h 5 min', '3 d 12 h', '–'],
    ],
  ],
  [
    formatBytes,
    [0, 1023, 1024, 1536, 15_000_000, 3_300_000_000],
    ['0 B', '1023 B', '1 KB', '1.5 KB', '14 MB', '3.1 GB'],
  ],
  [
    formatCompact,
    [999, 12_345, 128_000, 812_345, 999_900, 12_345_678],
    ['999', '12.3 k', '128 k', '812 k', '1 M', '12.3 M'],
  ],
] as [(value: number | null) => string, (number | null)[], string[]][])(
  '%o is short, with its unit',
  (format, values, texts) => {
    expect(values.map((value) => format(value))).toEqual(texts);
  },
);

it('money is cents of exact decimals, and two digits below a cent', () => {
  expect(['0', '0.00123456789', '12.3456', '1000', null].map((exact) => formatUsd(exact))).toEqual([
    ...['$0', '$0.0012', '$12.35', '$1000.00', '–'],
  ]);
});

it('counts have separators and the right number', () => {
  expect([plural(1, 'run'), plural(5000, 'run'), plural(2, 'entry', 'entries')]).toEqual([
    ...['1 run', '5,000 runs', '2 entries'],
  ]);
});
