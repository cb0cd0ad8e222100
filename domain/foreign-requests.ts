import { BenchError } from './errors.js';
import { comesFromOtherSite, type HeaderOf, isJson, namesOtherHost } from './home/own-site.js';

/** Refuses browser requests from pages of other sites, for the page and environment servers. */

const denied = (message: string, remedy?: string): BenchError =>
  new BenchError('usage', message, { code: 'access.denied', remedy });

/** Throws BenchError (usage): a foreign DNS entry led the client here. */
export function refuseOtherHost(header: HeaderOf, site: { hosts: readonly string[] }, remedy: string): void {
  if (namesOtherHost(header, site)) throw denied('the request names another host', remedy);
}

/** Throws BenchError (usage). Forms never send JSON, and pages need our consent to send it. */
export function refuseOtherSite(header: HeaderOf, site: { origins: readonly string[] }, hasBody: boolean): void {
  if (comesFromOtherSite(header, site)) throw denied('the request comes from another site', 'Send it from a program.');
  if (hasBody && !isJson(header('content-type')))
    throw new BenchError('usage', 'the body must be application/json', {
      code: 'request.header_invalid',
      remedy: 'Send it as application/json.',
    });
}
