import { BenchError } from '../../domain/errors.js';

export interface MetricsAddress {
  host: string;
  port: number;
}

/** `9464`, `0.0.0.0:9464`: without a host only this machine may connect. */
export function metricsAddress(text: string): MetricsAddress {
  const [, host = '127.0.0.1', port = ''] = /^(?:(.+):)?(\d{1,5})$/.exec(text.trim()) ?? [];
  if (port === '' || Number(port) < 1 || Number(port) > 65_535)
    throw new BenchError('usage', `BENCH_METRICS is not a port or host:port: "${text}"`, {
      code: 'setting.invalid',
      remedy: 'Write it as 9464, or as 0.0.0.0:9464 to let other machines scrape it.',
    });
  return { host: host.replace(/^\[|\]$/g, ''), port: Number(port) };
}
