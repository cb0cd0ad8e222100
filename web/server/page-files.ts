import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { Hono } from 'hono';
import { BenchError } from '../../domain/errors.js';
import { pageHeaders } from './headers.js';

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.map': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
};

/** Neither separators nor hidden files. */
const NAME = /^(?!\.)[\w.-]{1,200}$/;

const bytesOf = (path: string): Promise<Buffer<ArrayBuffer> | null> =>
  readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'EISDIR') return null;
    throw error;
  }) as Promise<Buffer<ArrayBuffer> | null>;

/** Assets under content hashes, and one document for every page address. */
export function servePage(app: Hono, folder: string): void {
  app.get('/assets/:name', async (c) => {
    const name = c.req.param('name');
    const bytes = NAME.test(name) ? await bytesOf(join(folder, 'assets', name)) : null;
    if (bytes === null) throw new BenchError('not_found', `the page has no part ${JSON.stringify(name.slice(0, 80))}`);
    return c.body(bytes, 200, {
      'Content-Type': TYPES[extname(name)] ?? 'application/octet-stream',
      'Cache-Control': 'private, max-age=31536000, immutable',
    });
  });
  app.get('*', async (c) => {
    const document = await bytesOf(join(folder, 'index.html'));
    if (document === null)
      throw new BenchError('failed', 'the page was not built', { remedy: 'Build it: `npm run build`.' });
    const nonce = randomBytes(16).toString('base64');
    return c.html(document.toString('utf8').replaceAll('__NONCE__', nonce), 200, pageHeaders(nonce));
  });
}
