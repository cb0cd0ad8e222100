import { createHash, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { keyId } from './signing-key.js';

// The last member of a signed line has a fixed length: all before it is signed.
const suffixOf = (id: string, signature: string): string =>
  `, "signature": {"key": "${id}", "ed25519": "${signature}"}}`;
const SUFFIX = /^, "signature": \{"key": "([0-9a-f]{16})", "ed25519": "([A-Za-z0-9+/]{86}==)"\}\}$/;
const SUFFIX_LENGTH = suffixOf('0'.repeat(16), '0'.repeat(88)).length;

/** Lines have any length: the signature covers their digest. */
const message = (digest: string): Buffer => Buffer.from(`bench-run line, sha256 ${digest}`);

/** Appends a signature as the last member of a line, a JSON object. */
export async function* signedLine(pieces: AsyncIterable<string>, key: KeyObject): AsyncGenerator<string> {
  const hash = createHash('sha256');
  let held = '';
  for await (const piece of pieces) {
    const text = held + piece;
    held = text.slice(-1);
    hash.update(text.slice(0, -1));
    yield text.slice(0, -1);
  }
  if (held === '') return;
  const signature = sign(null, message(hash.digest('hex')), key).toString('base64');
  yield suffixOf(keyId(createPublicKey(key)), signature);
}

export interface LineSignature {
  /** Id of the claimed signing key. */
  key: string;
  isOf(publicKey: KeyObject): boolean;
}

/** Finds a line's signature, whatever pieces it comes in. */
export class SignatureReader {
  readonly #hash = createHash('sha256');
  #tail = '';

  push(text: string): void {
    const whole = this.#tail + text;
    this.#tail = whole.slice(-SUFFIX_LENGTH);
    this.#hash.update(whole.slice(0, whole.length - this.#tail.length));
  }

  /** Null: unsigned. */
  end(): LineSignature | null {
    const [, key, signature] = SUFFIX.exec(this.#tail) ?? [];
    if (key === undefined || signature === undefined) return null;
    const signed = message(this.#hash.digest('hex'));
    return { key, isOf: (publicKey) => verify(null, signed, publicKey, Buffer.from(signature, 'base64')) };
  }
}
