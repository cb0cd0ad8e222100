import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { HomeLayout } from '../../../domain/home/layout.js';
import { BenchError } from '../../../domain/errors.js';
import { makeFolder } from '../../../services/make-folder.js';

/** The beginning of the public key's SHA-256. */
export const keyId = (publicKey: KeyObject): string =>
  createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('hex')
    .slice(0, 16);

/** The home's ed25519 key that signs exports; null: nothing was exported yet. */
export function homeKey({ exportKey }: HomeLayout): KeyObject | null {
  if (!existsSync(exportKey)) return null;
  try {
    return createPrivateKey(readFileSync(exportKey));
  } catch (cause) {
    throw new BenchError('usage', `${exportKey} contains no private key`, {
      remedy: 'Restore it from a backup, or move it away: the next export makes another one.',
      cause,
    });
  }
}

/** Creates the key at first use; of two concurrent commands the first wins. */
export function ensureHomeKey(layout: HomeLayout): KeyObject {
  const there = homeKey(layout);
  if (there !== null) return there;
  makeFolder(layout.home);
  const { privateKey } = generateKeyPairSync('ed25519');
  const aside = `${layout.exportKey}.${process.pid}`;
  writeFileSync(aside, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
  try {
    linkSync(aside, layout.exportKey);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(aside, { force: true });
  }
  const key = createPrivateKey(readFileSync(layout.exportKey));
  writeFileSync(layout.exportPublicKey, createPublicKey(key).export({ type: 'spki', format: 'pem' }));
  return key;
}

/** Another home's public key. BenchError (usage): the file is none. */
export function readPublicKey(path: string): KeyObject {
  try {
    const key = createPublicKey(readFileSync(path));
    if (key.asymmetricKeyType === 'ed25519') return key;
    throw new Error(`a key of the type ${key.asymmetricKeyType}`);
  } catch (cause) {
    throw new BenchError('usage', `${path} is not a public ed25519 key: ${(cause as Error).message}`, {
      remedy: 'Give the export-key.pub.pem of the home that exported the lines.',
      cause,
    });
  }
}
