type Env = Readonly<Record<string, string | undefined>>;

const SECRET_NAME = /(^|_)(API_KEY|TOKEN|SECRET|PASSWORD|PGPASSWORD|ACCESS_KEY|KEY_DATA)$/i;
/** Shorter values occur by chance in innocent text. */
const SHORTEST = 6;

/** The values of an environment that no log may show: keys by their names, and passwords within URLs. */
export function secretsOf(env: Env): string[] {
  const found = new Set<string>();
  for (const [name, value = ''] of Object.entries(env)) {
    if (SECRET_NAME.test(name)) found.add(value);
    const password = /^[a-z][a-z0-9+.-]*:\/\/[^/@\s]*?:([^/@\s]+)@/i.exec(value)?.[1];
    if (password === undefined) continue;
    found.add(password);
    try {
      found.add(decodeURIComponent(password));
    } catch {
      // Not encoded: it stands as it is.
    }
  }
  return [...found].filter((secret) => secret.length >= SHORTEST).sort((a, b) => b.length - a.length);
}

/** Replaces each secret, as it is and as JSON writes it. */
export function redactor(secrets: readonly string[]): (line: string) => string {
  const forms = secrets.flatMap((secret) => [...new Set([secret, JSON.stringify(secret).slice(1, -1)])]);
  return (line) => forms.reduce((text, form) => text.replaceAll(form, '[redacted]'), line);
}
