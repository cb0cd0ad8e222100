import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { SignatureReader, signedLine } from '../../../../operations/records/export/line-signature.js';
import { ensureHomeKey, homeKey, keyId, readPublicKey } from '../../../../operations/records/export/signing-key.js';
import { homeLayout } from '../../../../domain/home/layout.js';

const folder = mkdtempSync(join(tmpdir(), 'bench-signing-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const LINE = '{"run": {"a": "é }"}, "steps": [1, 2]}';

async function* inPieces(text: string, of: number): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += of) yield await Promise.resolve(text.slice(at, at + of));
}
async function signed(text: string, of = 7): Promise<string> {
  let line = '';
  for await (const piece of signedLine(inPieces(text, of), privateKey)) line += piece;
  return line;
}
function read(line: string, of = 5) {
  const reader = new SignatureReader();
  for (let at = 0; at < line.length; at += of) reader.push(line.slice(at, at + of));
  return reader.end();
}

describe('the signature of a line', () => {
  it('is a member of its object, found and verified in whatever pieces the line comes', async () => {
    const line = await signed(LINE);
    expect(JSON.parse(line)).toMatchObject({ run: { a: 'é }' }, steps: [1, 2], signature: { key: keyId(publicKey) } });
    for (const of of [1, 13, 10_000]) {
      expect(await signed(LINE, of)).toBe(line);
      expect(read(line, of)).toMatchObject({ key: keyId(publicKey) });
      expect(read(line, of)?.isOf(publicKey)).toBe(true);
    }
  });

  it('is not that of another key, nor of a line in which a character was changed', async () => {
    const line = await signed(LINE);
    expect(read(line)?.isOf(generateKeyPairSync('ed25519').publicKey)).toBe(false);
    for (let at = 0; at < LINE.length - 1; at += 1)
      expect(read(`${line.slice(0, at)}X${line.slice(at + 1)}`)?.isOf(publicKey) ?? false).toBe(false);
    expect(read(LINE)).toBeNull();
    expect(await signed('')).toBe('');
  });
});

describe('the key of a home', () => {
  it('is made once, for its owner alone, with its public half beside it', () => {
    const layout = homeLayout(join(folder, 'home'));
    expect(homeKey(layout)).toBeNull();
    const made = createPublicKey(ensureHomeKey(layout));
    expect(keyId(createPublicKey(ensureHomeKey(layout)))).toBe(keyId(made));
    expect(statSync(layout.exportKey).mode & 0o777).toBe(0o600);
    expect(keyId(readPublicKey(layout.exportPublicKey))).toBe(keyId(made));
    expect(readFileSync(layout.exportPublicKey, 'utf8')).not.toContain('PRIVATE');
  });

  it('of another home is told when its file holds none', () => {
    const file = join(folder, 'none.pem');
    writeFileSync(file, 'nothing');
    expect(() => readPublicKey(file)).toThrow(/is not a public ed25519 key/);
    expect(() => readPublicKey(join(folder, 'nowhere'))).toThrow(/is not a public ed25519 key/);
  });
});
