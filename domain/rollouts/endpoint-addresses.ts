/** Allowed addresses of rollouts, by variables of the sending process. Imports nothing. */

type Env = Readonly<Record<string, string | undefined>>;

/** Variables that a request may name: it could send any other to its own address, too. */
export const KEY_VARIABLE = /^BENCH_ROLLOUT_(?:[A-Z0-9_]+_)?API_KEY$/;
const URLS_VARIABLE = /^BENCH_ROLLOUT_(?:[A-Z0-9_]+_)?BASE_URL$/;

/** Lists a key's base URLs, separated by commas. */
export const urlsVariableOf = (keyVariable: string): string => keyVariable.replace(/API_KEY$/, 'BASE_URL');

/** A trainer chooses the address, and must not receive the key that way. */
export const mayGetKey = (env: Env, keyVariable: string, baseUrl: string): boolean =>
  lists(env[urlsVariableOf(keyVariable)], baseUrl);

/** A listed address may be a private one. */
export const isConfigured = (env: Env, baseUrl: string): boolean =>
  Object.entries(env).some(([name, value]) => URLS_VARIABLE.test(name) && lists(value, baseUrl));

const lists = (value: string | undefined, baseUrl: string): boolean =>
  (value ?? '')
    .split(',')
    .map((url) => url.trim())
    .filter((url) => URL.canParse(url) && URL.canParse(baseUrl))
    .some((url) => isUnder(new URL(baseUrl), new URL(url)));

const isUnder = (asked: URL, allowed: URL): boolean =>
  asked.protocol === allowed.protocol &&
  asked.host === allowed.host &&
  `${pathOf(asked)}/`.startsWith(`${pathOf(allowed)}/`);

const pathOf = ({ pathname }: URL): string => pathname.replace(/\/+$/, '');
