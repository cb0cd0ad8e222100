import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';
import { ROLES, type Role } from '../../../domain/home/access.js';
import { BenchError } from '../../../domain/errors.js';
import type { AddedToken, Token } from '../../../domain/views/page.js';
import type { BenchSettings } from '../../settings.js';
import { makeFolder } from '../../../services/make-folder.js';

// The home stores only hashes: tokens are random and long, so a fast hash is enough.

const storedSchema = z.strictObject({
  name: z.string(),
  role: z.enum(ROLES),
  sha256: z.string(),
  createdAt: z.string(),
  expiresAt: z.string().nullable(),
});
const fileSchema = z.strictObject({ tokens: z.array(storedSchema) });
type Stored = z.infer<typeof storedSchema>;

const hashOf = (token: string): Buffer => createHash('sha256').update(token).digest();
const hasEnded = ({ expiresAt }: Stored, now: number): boolean => expiresAt !== null && Date.parse(expiresAt) <= now;
const shown = ({ sha256: _sha256, ...token }: Stored): Token => token;

function read(path: string): Stored[] {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
  try {
    return fileSchema.parse(JSON.parse(text)).tokens;
  } catch (cause) {
    throw new BenchError('failed', `${path} is not a list of tokens`, {
      code: 'home.unusable',
      remedy: 'Remove it; `bench serve` makes new tokens.',
      cause,
    });
  }
}

function write(path: string, tokens: Stored[]): void {
  makeFolder(dirname(path), 0o700);
  const aside = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;
  try {
    writeFileSync(aside, `${JSON.stringify({ tokens }, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
    renameSync(aside, path);
  } finally {
    rmSync(aside, { force: true });
  }
}

export interface NewToken {
  name: string;
  role: Role;
  /** Lifetime; null: no end. */
  days: number | null;
}

/** Only this call returns the token. Deletes expired ones. BenchError (conflict): name in use. */
export function addToken({ layout }: Pick<BenchSettings, 'layout'>, { name, role, days }: NewToken): AddedToken {
  const now = Date.now();
  const kept = read(layout.tokens).filter((stored) => !hasEnded(stored, now));
  if (kept.some((stored) => stored.name === name))
    throw new BenchError('conflict', `another token is named ${JSON.stringify(name)}`, {
      code: 'token.name_taken',
      remedy: `Choose another name, or remove it: \`bench tokens remove ${name}\`.`,
    });
  const token = randomBytes(32).toString('base64url');
  const stored: Stored = {
    name,
    role,
    sha256: hashOf(token).toString('hex'),
    createdAt: new Date(now).toISOString(),
    expiresAt: days === null ? null : new Date(now + days * 86_400_000).toISOString(),
  };
  write(layout.tokens, [...kept, stored]);
  return { ...shown(stored), token };
}

export const listTokens = ({ layout }: Pick<BenchSettings, 'layout'>): Token[] =>
  read(layout.tokens)
    .filter((stored) => !hasEnded(stored, Date.now()))
    .map(shown);

export function removeToken({ layout }: Pick<BenchSettings, 'layout'>, name: string): void {
  const tokens = read(layout.tokens);
  const kept = tokens.filter((stored) => stored.name !== name);
  if (kept.length === tokens.length)
    throw new BenchError('not_found', `no token is named ${JSON.stringify(name)}`, {
      code: 'token.not_found',
      remedy: '`bench tokens list` lists them.',
    });
  write(layout.tokens, kept);
}

/** Rereads the file when it has changed, so that a removed token ends at once. */
export function pageTokens({ layout }: Pick<BenchSettings, 'layout'>): { find(token: string): Token | null } {
  let known: { stamp: string; tokens: Stored[] } = { stamp: '', tokens: [] };
  const current = (): Stored[] => {
    const found = statSync(layout.tokens, { throwIfNoEntry: false });
    // Each change is a new file.
    const stamp = found === undefined ? 'none' : `${found.ino} ${found.mtimeMs} ${found.size}`;
    if (stamp !== known.stamp) known = { stamp, tokens: read(layout.tokens) };
    return known.tokens;
  };
  return {
    find(token) {
      const hash = hashOf(token);
      // Compares all, each in constant time.
      const found = current().filter(({ sha256 }) => timingSafeEqual(Buffer.from(sha256, 'hex'), hash));
      const stored = found[0];
      return stored === undefined || hasEnded(stored, Date.now()) ? null : shown(stored);
    },
  };
}
