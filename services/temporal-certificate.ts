import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { servicePaths } from './home-paths.js';
import { writeFileAtomically } from './services-file.js';

type Paths = Pick<ReturnType<typeof servicePaths>, 'temporalCertificate' | 'temporalKey'>;

/** Not resolved: clients are configured to expect it. */
const NAME = 'bench-temporal';

/** Shared by server and clients, so its key is the permission to connect. True: newly made. */
export async function ensureTemporalCertificate(paths: Paths): Promise<boolean> {
  if (belongTogether(paths)) return false;
  const { makeCertificate } = await import('./make-certificate.js');
  const { key, certificate } = await makeCertificate(NAME);
  writeFileAtomically(paths.temporalKey, key);
  writeFileAtomically(paths.temporalCertificate, certificate);
  return true;
}

function belongTogether({ temporalKey, temporalCertificate }: Paths): boolean {
  try {
    return new X509Certificate(readFileSync(temporalCertificate)).checkPrivateKey(
      createPrivateKey(readFileSync(temporalKey)),
    );
  } catch {
    return false;
  }
}

/** For clients of the home's server; Temporal's own tools know them too. */
export const temporalVariables = ({ temporalCertificate, temporalKey }: Paths): Record<string, string> => ({
  TEMPORAL_TLS_SERVER_NAME: NAME,
  TEMPORAL_TLS_SERVER_CA_CERT_PATH: temporalCertificate,
  TEMPORAL_TLS_CLIENT_CERT_PATH: temporalCertificate,
  TEMPORAL_TLS_CLIENT_KEY_PATH: temporalKey,
});
