import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BenchError } from '../../../domain/errors.js';

const isWeb = (uri: string): boolean => /^https?:\/\/[^\s@]+$/.test(uri);
/** The archive itself by convention; security updates and others' packages have other paths. */
const isArchive = (uri: string): boolean => /\/debian\/?$/.test(uri);

/**
 * Base address of Debian's archive: BENCH_DEBIAN_MIRROR, else that of this host's apt; null:
 * unknown. Throws BenchError (usage) for an invalid setting.
 */
export function debianMirror(env: Readonly<Record<string, string | undefined>>, apt = '/etc/apt'): string | null {
  const said = (env['BENCH_DEBIAN_MIRROR'] ?? '').trim();
  if (said !== '') {
    if (isWeb(said)) return said;
    throw new BenchError('usage', `BENCH_DEBIAN_MIRROR is ${JSON.stringify(said)}`, {
      code: 'setting.invalid',
      remedy: 'Set it to the http or https address of a mirror of Debian, the folder that contains pool/.',
    });
  }
  const found = aptAddresses(apt);
  return found.find(isArchive) ?? found[0] ?? null;
}

/** Package addresses in apt's configuration, in order. */
function aptAddresses(apt: string): string[] {
  const parts = join(apt, 'sources.list.d');
  const names = existsSync(parts) ? readdirSync(parts).sort() : [];
  const files = ['sources.list', ...names.map((name) => join('sources.list.d', name))];
  return files.flatMap((name) => {
    const text = readable(join(apt, name));
    if (name.endsWith('.list')) return text.split('\n').flatMap(ofLine);
    return name.endsWith('.sources') ? text.split(/\n\s*\n/).flatMap(ofStanza) : [];
  });
}

function readable(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** `deb [options] <address> <suite> <component>…` */
function ofLine(line: string): string[] {
  const uri = /^\s*deb\s+(?:\[[^\]]*\]\s*)?(\S+)/.exec(line)?.[1];
  return uri !== undefined && isWeb(uri) ? [uri] : [];
}

/** Fields with values after a colon and in the indented lines that follow. */
function ofStanza(stanza: string): string[] {
  const lines = stanza.split('\n').filter((line) => !line.startsWith('#'));
  const fields = new Map<string, string>();
  let last = '';
  for (const line of lines) {
    const [, name, value = ''] = /^([A-Za-z-]+):(.*)$/.exec(line) ?? [];
    if (name !== undefined) last = name.toLowerCase();
    fields.set(last, `${fields.get(last) ?? ''} ${name === undefined ? line : value}`);
  }
  const words = (name: string): string[] => (fields.get(name) ?? '').split(/\s+/).filter((word) => word !== '');
  if (words('enabled').includes('no') || !words('types').includes('deb')) return [];
  return words('uris').filter(isWeb);
}
