import { describe, expect, it } from 'vitest';
import { renderMetrics } from '../../../../domain/metrics/prometheus.js';

describe("Prometheus' text", () => {
  it('has two comment lines and a line per sample', () => {
    const text = renderMetrics([
      { name: 'a_total', type: 'counter', help: 'All a.', samples: [{ value: 3 }] },
      { name: 'b', type: 'gauge', help: 'B.', samples: [{ labels: { x: '1', y: '2' }, value: 0.5 }] },
      { name: 'c', type: 'gauge', help: 'None.', samples: [] },
    ]);
    expect(text).toBe(
      '# HELP a_total All a.\n# TYPE a_total counter\na_total 3\n' +
        '# HELP b B.\n# TYPE b gauge\nb{x="1",y="2"} 0.5\n' +
        '# HELP c None.\n# TYPE c gauge\n',
    );
  });

  it('escapes labels and help, and writes values that are no numbers as Prometheus does', () => {
    const samples = [NaN, Infinity, -Infinity].map((value) => ({ labels: { l: 'a"b\\c\nd' }, value }));
    expect(renderMetrics([{ name: 'x', type: 'gauge', help: 'a\nb', samples }])).toBe(
      '# HELP x a\\nb\n# TYPE x gauge\n' +
        ['NaN', '+Inf', '-Inf'].map((value) => `x{l="a\\"b\\\\c\\nd"} ${value}\n`).join(''),
    );
  });
});
