import type { IncomingMessage } from 'node:http';
import { comesFromOtherSite, isJson, namesOtherHost, type OwnSite } from '../../domain/own-site.js';

export interface Refusal {
  status: number;
  /** A document, as of the servers' own errors. */
  body: string;
}

export const REFUSAL_HEADERS = { 'Content-Type': 'application/json', Connection: 'close' };

const refusal = (status: number, code: string, message: string, remedy: string): Refusal => ({
  status,
  body: JSON.stringify({ error: { type: 'usage', code, message, remedy } }),
});

/**
 * Refuses what a browser sends for a page of another site: such a page knows no token, but would learn who listens, and could act where
 * there is none. `null`: the request may be of a client of ours. A form's body is never JSON, and a page's own JSON needs our consent first.
 */
export function refusalOf({ headers }: IncomingMessage, site: OwnSite): Refusal | null {
  const header = (name: string): string | undefined => {
    const value = headers[name];
    return Array.isArray(value) ? value.join(', ') : value;
  };
  if (namesOtherHost(header, site))
    return refusal(403, 'access.denied', 'the server has another name', 'Serve with --allow-host <name>.');
  if (comesFromOtherSite(header, site))
    return refusal(403, 'access.denied', 'the request comes from another site', 'Send it from a program.');
  const length = headers['content-length'];
  const hasBody = headers['transfer-encoding'] !== undefined || (length !== undefined && Number(length) !== 0);
  if (hasBody && !isJson(headers['content-type']))
    return refusal(415, 'request.header_invalid', 'the body must be application/json', 'Send it as application/json.');
  return null;
}
