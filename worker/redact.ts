import { SHORTEST_SECRET } from '../domain/text/redact-keys.js';

type Env = Readonly<Record<string, string | undefined>>;

const SECRET_NAME = /(^|_)(API_KEY|TOKEN|SECRET|PASSWORD|PGPASSWORD|ACCESS_KEY|KEY_DATA)$/i;
/** Keys by name, or named in model files, and passwords in URLs. */
export function secretsOf(env: Env, keys: readonly string[] = []): string[] {
  const found = new Set<string>();
  for (const [name, value = ''] of Object.entries(env)) {
    if (SECRET_NAME.test(name) || keys.includes(name)) found.add(value.trim());
    const password = /^[a-z][a-z0-9+.-]*:\/\/[^/@\s]*?:([^/@\s]+)@/i.exec(value)?.[1];
    if (password === undefined) continue;
    found.add(password);
    try {
      found.add(decodeURIComponent(password));
    } catch {
      // Not percent-encoded.
    }
  }
  return [...found].filter((secret) => secret.length >= SHORTEST_SECRET).sort((a, b) => b.length - a.length);
}
