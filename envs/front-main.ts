import { BenchError } from '../domain/errors.js';
import { homeLayout } from '../domain/home/layout.js';
import type { EnvServe } from '../domain/requests/env-serve.js';
import type { EnvironmentDocument } from '../domain/views/environments.js';
import { refuseOpenServer } from './refuse-open-server.js';
import type { ServerLine } from './front/server-line.js';
import { openFront } from './front/front.js';
import { tokenIn } from './token.js';

/** The front of `bench env serve`, which restarts the server (envs/main.ts). Loads little. */

const FEW_SOCKETS = 256;
/** A trainer may reconnect while an abandoned connection is still open. */
const SOCKETS_PER_EPISODE = 4;

const OPEN_WARNING =
  'warning: this server has no token: every user and program of this machine can play episodes. Rollouts are off.';

const failed = (error: BenchError): void => {
  process.stderr.write(`error: ${error.message}\n${error.remedy === undefined ? '' : `${error.remedy}\n`}`);
  process.exit(error.exitCode);
};

/** The client appends paths to the host only, and sends its key like a token. */
const openRewardVariables = (address: string, token: string | null): string =>
  [
    `OPENREWARD_SESSION_URL=${address} OPENREWARD_API_URL=${address}`,
    ...(token === null ? [] : [`OPENREWARD_API_KEY=${token}`]),
  ].join(' ');

function unusable(error: NodeJS.ErrnoException, { host, port }: EnvServe): BenchError {
  const what = error.code === 'EADDRINUSE' ? 'another program listens there' : error.message;
  return new BenchError('usage', `cannot listen at ${host}:${port}: ${what}`, {
    remedy: 'Choose another port.',
  });
}

async function serve([server = '', request = '{}']: readonly string[]): Promise<void> {
  const options = JSON.parse(request) as EnvServe;
  const token = tokenIn(process.env);
  refuseOpenServer(options, token);
  if (token === null) process.stderr.write(`${OPEN_WARNING}\n`);
  let announced = false;
  const { host, port, allowHost = [], capacity } = options;
  const front = await openFront({
    ...{ host, port, allowHost, socketsPerAddress: FEW_SOCKETS + SOCKETS_PER_EPISODE * capacity },
    sockets: homeLayout(process.env['BENCH_HOME'] ?? '.').environmentSockets,
    command: (socket) => [process.execPath, server, request, socket],
    onListening(line, address, serverPid) {
      if (announced) return;
      announced = true;
      const url = token === null ? address : `${address}/t/${encodeURIComponent(token)}`;
      const listening = { url, ...(JSON.parse(line) as ServerLine), pid: process.pid, serverPid };
      process.stdout.write(`${JSON.stringify(listening satisfies EnvironmentDocument)}\n`);
      process.stderr.write(`for openreward: ${openRewardVariables(address, token)}\n`);
    },
    // It has reported the reason.
    onEnd: (exitCode) => process.exit(exitCode),
    log: (line) => process.stderr.write(`${line}\n`),
  }).catch((error: unknown) => {
    throw unusable(error as NodeJS.ErrnoException, options);
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void front.stop().then(() => process.exit(0)));
}

serve(process.argv.slice(2)).catch((thrown: unknown) =>
  failed(thrown instanceof BenchError ? thrown : new BenchError('failed', (thrown as Error).message)),
);
