// On node:http, not Hono, whose adapter replaces the process's Request and Response, which the
// providers' SDKs use.
import { createServer, type Server } from 'node:http';
import { createServer as createTcpServer, type AddressInfo } from 'node:net';
import { BenchError } from '../../domain/errors.js';
import type { MetricsAddress } from '../../operations/home/metrics-address.js';
import { METRICS_CONTENT_TYPE, type MetricFamily, renderMetrics } from '../../domain/metrics/prometheus.js';

/** For the SDK's exporter, which needs an explicit port. */
export async function loopbackAddress(): Promise<string> {
  const server = createTcpServer();
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `127.0.0.1:${port}`;
}

/** Ours, then the Temporal SDK's. Without the database `bench_database_up 0` and the SDK's. */
export async function serveMetrics(
  address: MetricsAddress,
  figures: () => Promise<MetricFamily[]>,
  sdkAddress: string,
): Promise<Server> {
  const text = async (): Promise<string> => {
    const [ours, sdk] = await Promise.all([
      figures().then(
        (families) => [up(1), ...families],
        () => [up(0)],
      ),
      fetch(`http://${sdkAddress}/metrics`, { signal: AbortSignal.timeout(5000) }).then(
        (answer) => answer.text(),
        () => '',
      ),
    ]);
    return renderMetrics(ours) + sdk;
  };
  const server = createServer((request, response) => {
    const path = request.url?.split('?')[0];
    if (path !== '/metrics' || request.method !== 'GET') {
      response.writeHead(404).end('GET /metrics\n');
      return;
    }
    void text().then((body) => response.writeHead(200, { 'content-type': METRICS_CONTENT_TYPE }).end(body));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) =>
      reject(
        new BenchError('usage', `metrics cannot be served at ${address.host}:${address.port}: ${cause.code ?? ''}`, {
          code: 'setting.invalid',
          remedy: 'Choose another port (BENCH_METRICS).',
          fields: { metrics: true },
          cause,
        }),
      ),
    );
    server.listen(address.port, address.host, resolve);
  });
  // It must not keep a stopping worker alive.
  server.unref();
  return server;
}

const up = (value: 0 | 1): MetricFamily => ({
  name: 'bench_database_up',
  type: 'gauge',
  help: 'Whether the database answered this scrape.',
  samples: [{ value }],
});
