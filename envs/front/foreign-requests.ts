import type { IncomingMessage } from 'node:http';
import { BenchError } from '../../domain/errors.js';
import { refuseOtherHost, refuseOtherSite } from '../../domain/foreign-requests.js';
import { errorDocument, statusOf } from '../../domain/http-errors.js';
import type { OwnSite } from '../../domain/home/own-site.js';

export interface Refusal {
  status: number;
  /** A document, like the servers' own errors. */
  body: string;
}

export const REFUSAL_HEADERS = { 'Content-Type': 'application/json', Connection: 'close' };

/** Other sites' pages could learn of the server, and use one without a token. Null: it may pass. */
export function refusalOf({ headers }: IncomingMessage, site: OwnSite): Refusal | null {
  const header = (name: string): string | undefined => {
    const value = headers[name];
    return Array.isArray(value) ? value.join(', ') : value;
  };
  const length = headers['content-length'];
  const hasBody = headers['transfer-encoding'] !== undefined || (length !== undefined && Number(length) !== 0);
  try {
    refuseOtherHost(header, site, 'Serve with --allow-host <name>.');
    refuseOtherSite(header, site, hasBody);
    return null;
  } catch (thrown) {
    if (!(thrown instanceof BenchError)) throw thrown;
    const status = thrown.code === 'request.header_invalid' ? 415 : statusOf(thrown);
    return { status, body: JSON.stringify(errorDocument(thrown)) };
  }
}
