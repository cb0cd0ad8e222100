import type { TestFile } from './verification.js';

/** Calls of Python that fetch an address. */
const FETCHES = /\burlretrieve\(|\burlopen\(|\b(?:requests|httpx)\.(?:get|post|request)\(|\bwget\.download\(/;
const ADDRESSES = /\bhttps?:\/\/([\w.-]+)/g;
const OWN = /^(?:localhost|127\.\d+\.\d+\.\d+|0\.0\.0\.0)$/;

/**
 * Hosts that the tests fetch from while they verify, where they have no network: such tests fail whatever the agent did. Read from their
 * text; `test.sh` is not looked at, as what it fetches is fetched when the verifier's image is made. Null: none is found.
 */
export function fetchedByTests(tests: readonly TestFile[]): { file: string; hosts: string[] } | null {
  for (const { path, text } of tests) {
    if (!path.endsWith('.py') || !FETCHES.test(text)) continue;
    const hosts = [...text.matchAll(ADDRESSES)].map(([, host = '']) => host).filter((host) => !OWN.test(host));
    if (hosts.length > 0) return { file: path, hosts: [...new Set(hosts)].sort() };
  }
  return null;
}
