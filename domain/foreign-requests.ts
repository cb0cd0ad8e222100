import { BenchError } from './errors.js';
import { comesFromOtherSite, type HeaderOf, isJson, namesOtherHost } from './home/own-site.js';

/** What browsers send for pages of other sites is refused, by the page and by the environment server alike. */

const denied = (message: string, remedy?: string): BenchError =>
  new BenchError('usage', message, { code: 'access.denied', remedy });

/** Throws BenchError (usage): a client that uses another name was sent here by a foreign DNS entry. */
export function refuseOtherHost(header: HeaderOf, site: { hosts: readonly string[] }, remedy: string): void {
  if (namesOtherHost(header, site)) throw denied('the request names another host', remedy);
}

/** Throws BenchError (usage). A form's body is never JSON, and a page's own JSON needs our consent first. */
export function refuseOtherSite(header: HeaderOf, site: { origins: readonly string[] }, hasBody: boolean): void {
  if (comesFromOtherSite(header, site)) throw denied('the request comes from another site', 'Send it from a program.');
  if (hasBody && !isJson(header('content-type')))
    throw new BenchError('usage', 'the body must be application/json', {
      code: 'request.header_invalid',
      remedy: 'Send it as application/json.',
    });
}
