import { readFileSync } from 'node:fs';

/** Where image layers get packages from; never part of an image. */
export interface PackageSources {
  environment: Record<string, string>;
  /** PEM of certificate authorities; null: those of the image. */
  certificates: Buffer | null;
}

export const NO_SOURCES: PackageSources = { environment: {}, certificates: null };

const TAKEN = [
  'PIP_INDEX_URL',
  'PIP_EXTRA_INDEX_URL',
  'PIP_TRUSTED_HOST',
  'PIP_DEFAULT_TIMEOUT',
  'PIP_RETRIES',
  'PIP_NO_INDEX',
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'ALL_PROXY'].flatMap((name) => [name, name.toLowerCase()]),
];

/** pip's and proxy variables. PIP_FIND_LINKS keeps only URLs: the container lacks our folders. */
export function packageSources(env: Readonly<Record<string, string | undefined>>): PackageSources {
  const environment: Record<string, string> = {};
  for (const name of TAKEN) if (env[name]) environment[name] = env[name];
  const links = (env['PIP_FIND_LINKS'] ?? '').split(/\s+/).filter((link) => /^https?:\/\//.test(link));
  if (links.length > 0) environment['PIP_FIND_LINKS'] = links.join(' ');
  const file = env['PIP_CERT'] ?? env['SSL_CERT_FILE'];
  return { environment, certificates: file ? readable(file) : null };
}

function readable(file: string): Buffer | null {
  try {
    return readFileSync(file);
  } catch {
    // pip itself reports bad certificates.
    return null;
  }
}

export interface TaskImageOptions {
  sources: PackageSources;
  onProgress?: ((line: string) => void) | undefined;
  /** Aborts an installation; others waiting for it restart it. */
  signal?: AbortSignal | undefined;
  /** The folder that holds `images/`; needed for tasks with their own image. */
  assetsRoot?: string | undefined;
}
