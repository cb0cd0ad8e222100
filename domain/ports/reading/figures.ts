import type { MetricFamily } from '../../metrics/prometheus.js';

export interface FigureReads {
  /** Figures for Prometheus. */
  metrics(): Promise<MetricFamily[]>;
}
