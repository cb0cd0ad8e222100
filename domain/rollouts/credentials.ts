import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

/** For a trainer's endpoint; secret. */
export interface Credentials {
  /** Empty: none. */
  apiKey: string;
  headers: Record<string, string>;
}

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

const keyOf = (secret: string): Buffer =>
  Buffer.from(hkdfSync('sha256', Buffer.from(secret, 'hex'), '', 'bench rollout credentials', 32));

/** AES-256-GCM with the installation's key, 32 bytes in hex: unreadable in rows, history, logs. */
export function seal(credentials: Credentials, secret: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', keyOf(secret), nonce);
  const sealed = Buffer.concat([cipher.update(JSON.stringify(credentials), 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url');
}

/** Throws if it was sealed with another secret, or changed. */
export function unseal(sealed: string, secret: string): Credentials {
  const bytes = Buffer.from(sealed, 'base64url');
  const tagEnd = NONCE_BYTES + TAG_BYTES;
  const decipher = createDecipheriv('aes-256-gcm', keyOf(secret), bytes.subarray(0, NONCE_BYTES));
  decipher.setAuthTag(bytes.subarray(NONCE_BYTES, tagEnd));
  const open = Buffer.concat([decipher.update(bytes.subarray(tagEnd)), decipher.final()]);
  return JSON.parse(open.toString('utf8')) as Credentials;
}
