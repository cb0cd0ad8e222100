import { BenchError } from '../../../domain/errors.js';
import type { SnapshotLink } from '../../../domain/views/run-head.js';
import type { Bench } from '../../../operations/bench.js';
import { artifactStream, snapshotArchive } from '../../../operations/pages/snapshot-archive.js';
import { API } from '../../api/routes.js';
import { type Handler, Raw } from '../call.js';
import { DownloadTickets } from '../download-tickets.js';
import { HOSTILE_HEADERS } from '../headers.js';
import { stepOf } from './step-parameter.js';

/** The download begins within that; how long it goes on is another matter. */
const SECONDS = 300;

/** Files that are too large for a page to hold: a browser fetches them by itself, from the store where that can be. */
export function downloadHandlers(bench: Bench): Record<string, Handler> {
  const tickets = new DownloadTickets();
  return {
    snapshotLink: async (call): Promise<SnapshotLink> => {
      const until = Date.now() + SECONDS * 1000;
      const { url, ...archive } = await snapshotArchive(bench, call.params['id'] ?? '', stepOf(call), SECONDS);
      return {
        ...archive,
        url: url ?? `${API}/downloads/${tickets.issue({ ...archive, until })}`,
        until: new Date(until).toISOString(),
      };
    },
    download: ({ params }) => {
      const ticket = tickets.read(params['ticket'] ?? '');
      if (ticket === null)
        throw new BenchError('not_found', 'this download link has expired', {
          code: 'file.not_found',
          remedy: 'Request a new link from the page; it is valid for five minutes.',
        });
      return Promise.resolve(
        new Raw(200, ReadableStream.from<Uint8Array>(artifactStream(bench, ticket.sha256)), {
          ...HOSTILE_HEADERS,
          'Content-Type': 'application/octet-stream',
          'Content-Length': String(ticket.bytes),
          'Content-Disposition': `attachment; filename="${ticket.fileName}"`,
          'Cache-Control': 'no-store',
        }),
      );
    },
  };
}
