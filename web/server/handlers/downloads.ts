import { BenchError } from '../../../domain/errors.js';
import type { TakenFilesPorts } from '../../../operations/pages/files.js';
import { artifactStream, snapshotArchive } from '../../../operations/pages/snapshot-archive.js';
import { API } from '../../api/routes.js';
import type { runRoutes } from '../../api/runs.js';
import { type Handlers, Raw } from '../call.js';
import { DownloadTickets } from '../download-tickets.js';
import { HOSTILE_HEADERS } from '../headers.js';
import { stepOf } from './step-parameter.js';

/** A download must begin within this time; it may take longer. */
const SECONDS = 300;

/** Large files: browsers fetch them by links, from the store itself if it has some. */
export function downloadHandlers(
  ports: TakenFilesPorts,
): Handlers<Pick<typeof runRoutes, 'snapshotLink' | 'download'>> {
  const tickets = new DownloadTickets();
  return {
    snapshotLink: async (call) => {
      const until = Date.now() + SECONDS * 1000;
      const { url, ...archive } = await snapshotArchive(ports, call.params.id, stepOf(call), SECONDS);
      return {
        ...archive,
        url: url ?? `${API}/downloads/${tickets.issue({ ...archive, until })}`,
        until: new Date(until).toISOString(),
      };
    },
    download: ({ params }) => {
      const ticket = tickets.read(params.ticket);
      if (ticket === null)
        throw new BenchError('not_found', 'this download link has expired', {
          code: 'file.not_found',
          remedy: 'Request a new link from the page; it is valid for five minutes.',
        });
      return Promise.resolve(
        new Raw(200, ReadableStream.from<Uint8Array>(artifactStream(ports, ticket.sha256)), {
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
