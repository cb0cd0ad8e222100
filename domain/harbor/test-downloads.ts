import type { TestFile } from './verification.js';

/** Python calls that fetch an address. */
const FETCHES = /\burlretrieve\(|\burlopen\(|\b(?:requests|httpx)\.(?:get|post|request)\(|\bwget\.download\(/;
const ADDRESSES = /\bhttps?:\/\/([\w.-]+)/g;
const OWN = /^(?:localhost|127\.\d+\.\d+\.\d+|0\.0\.0\.0)$/;

/**
 * Hosts from which tests fetch while they verify, without a network: they always fail. Ignores
 * `test.sh`, whose downloads happen when the verifier's image is built.
 */
export function fetchedByTests(tests: readonly TestFile[]): { file: string; hosts: string[] } | null {
  for (const { path, text } of tests) {
    if (!path.endsWith('.py') || !FETCHES.test(text)) continue;
    const hosts = [...text.matchAll(ADDRESSES)].map(([, host = '']) => host).filter((host) => !OWN.test(host));
    if (hosts.length > 0) return { file: path, hosts: [...new Set(hosts)].sort() };
  }
  return null;
}
