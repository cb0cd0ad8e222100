import type { MetricFamily } from '../../metrics/prometheus.js';

/** Figures for Prometheus. */
export interface FigureReads {
  /** Figures for Prometheus. */
  metrics(): Promise<MetricFamily[]>;
}
