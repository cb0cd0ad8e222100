import { randomBytes } from 'node:crypto';
import { spawn } from 'node:child_process';
import type { PageServerRequest } from '../domain/requests/page.js';
import type { PageServerDocument } from '../domain/views/page.js';
import { answeringPage, pageEnded, pageListens } from '../operations/home/page/running.js';
import { addToken } from '../operations/home/page/tokens.js';
import type { CliContext } from './context.js';

/** A link in a terminal's history expires. */
const LINK_DAYS = 7;

export interface ServedPage extends PageServerDocument {
  /** Serves until Ctrl-C or SIGTERM; returns at once where another process serves. */
  untilInterrupted: () => Promise<void>;
}

/** Serves this home's page unless another process does. `open`: also in a browser, if any. */
export async function servePage(context: CliContext, request: PageServerRequest, open: boolean): Promise<ServedPage> {
  const { output, settings } = context;
  const { refuseOpenServer, startPageServer } = await import('../web/server/serve.js');
  refuseOpenServer(request);
  const running = await answeringPage(settings);
  const interrupted = context.onInterrupt();
  const server = running === null ? await startPageServer(context, request) : null;
  const address = server?.address ?? running?.address ?? '';
  const link = addToken(settings, {
    name: `link-${randomBytes(3).toString('hex')}`,
    role: request.readOnly ? 'viewer' : 'operator',
    days: LINK_DAYS,
  });
  const url = `${address}/#token=${link.token}`;
  if (server !== null) pageListens(settings, { pid: process.pid, address });
  if (open && output.interactive) openBrowser(url, settings.env);
  return {
    ...{ url, address, pid: running?.pid ?? process.pid, reused: running !== null },
    untilInterrupted: async () => {
      if (server === null) return;
      await new Promise<void>((resolve) => {
        if (interrupted.aborted) resolve();
        interrupted.addEventListener('abort', () => resolve());
        process.once('SIGTERM', () => resolve());
      });
      pageEnded(settings);
      await server.close();
    },
  };
}

function openBrowser(url: string, env: Readonly<Record<string, string | undefined>>): void {
  const program = process.platform === 'darwin' ? 'open' : 'xdg-open';
  if (process.platform !== 'darwin' && env['DISPLAY'] === undefined && env['WAYLAND_DISPLAY'] === undefined) return;
  spawn(program, [url], { stdio: 'ignore', detached: true })
    .on('error', () => undefined)
    .unref();
}

/** Logs the page's link to `path`, if the page is served now. */
export async function logPageLink({ output, settings }: CliContext, path: string): Promise<void> {
  const running = await answeringPage(settings);
  if (running !== null) output.log(`On the page: ${running.address}${path}`);
}
