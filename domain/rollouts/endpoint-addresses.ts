/** Where rollouts may send requests, by the variables of the process that sends them. Imports nothing. */

type Env = Readonly<Record<string, string | undefined>>;

/** The variables of the server that a request may name: any other could be sent to whatever address the request names, too. */
export const KEY_VARIABLE = /^BENCH_ROLLOUT_(?:[A-Z0-9_]+_)?API_KEY$/;
const URLS_VARIABLE = /^BENCH_ROLLOUT_(?:[A-Z0-9_]+_)?BASE_URL$/;

/** The variable that lists the base URLs of a key, separated by commas. */
export const urlsVariableOf = (keyVariable: string): string => keyVariable.replace(/API_KEY$/, 'BASE_URL');

/** May this variable's key be sent to that address? A trainer chooses the address of its rollout, and must not get the key so. */
export const mayGetKey = (env: Env, keyVariable: string, baseUrl: string): boolean =>
  lists(env[urlsVariableOf(keyVariable)], baseUrl);

/** Does a variable list this address? Then it may be a private one. */
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
