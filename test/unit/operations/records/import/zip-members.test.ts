import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Decompress } from 'fzstd';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { openZip } from '../../../../../operations/records/import/exchange/zip-members.js';
import { writeZip } from '../../../../setup/write-zip.js';

const folder = mkdtempSync(join(tmpdir(), 'bench-zip-members-'));
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => vi.restoreAllMocks());

let files = 0;
function written(bytes: Buffer | string): string {
  const path = join(folder, `${++files}.eval`);
  writeFileSync(path, bytes);
  return path;
}
async function opened(bytes: Buffer) {
  const zip = await openZip(written(bytes), 'l.eval');
  const read = async (name: string): Promise<string> => {
    let text = '';
    for await (const piece of zip.text(name)) text += piece;
    return text;
  };
  return { zip, read };
}

const MEMBERS: [string, string][] = [
  ['first.json', 'the first'],
  ['second.json', 'the second'],
];

describe('members of an archive', () => {
  for (const packing of ['stored', 'deflate', 'zstd'] as const)
    it(`packed as ${packing}: one whose own header is damaged is refused by its name, and the others are read`, async () => {
      const archive = writeZip(MEMBERS, packing);
      archive.write('Q', archive.indexOf('PK\u0003\u0004', 1), 'latin1');
      const { zip, read } = await opened(archive);
      expect(await read('first.json')).toBe('the first');
      await expect(read('second.json')).rejects.toMatchObject({
        ...{ name: 'UnreadableFile', file: 'l.eval', key: 'second.json', kind: 'truncated' },
        message: expect.stringContaining('cannot be unpacked: ') as string,
      });
      expect(await read('first.json')).toBe('the first');
      zip.close();
    });

  for (const packing of ['deflate', 'zstd'] as const)
    it(`packed as ${packing}: one that is encrypted is refused by its name, with a remedy`, async () => {
      const archive = writeZip(MEMBERS, packing);
      for (const [signature, flags] of [
        ['PK\u0003\u0004', 6],
        ['PK\u0001\u0002', 8],
      ] as const) {
        const at = archive.lastIndexOf(signature) + flags;
        archive.writeUInt16LE(archive.readUInt16LE(at) | 1, at);
      }
      const { zip, read } = await opened(archive);
      expect(await read('first.json')).toBe('the first');
      await expect(read('second.json')).rejects.toMatchObject({
        ...{ file: 'l.eval', key: 'second.json', kind: 'unreadable' },
        message: 'encrypted: pack the archive again without a password',
      });
      zip.close();
    });

  it('are unpacked from zstd a few blocks at a time, however little they are packed in', async () => {
    const text = 'x'.repeat(8 * 1024 * 1024);
    const archive = writeZip([['long.json', text]], 'zstd');
    expect(archive.length).toBeLessThan(1000);
    let unpacked = 0;
    let most = 0;
    let taken = 0;
    // oxlint-disable-next-line typescript/unbound-method -- it is called with its own
    const push = Decompress.prototype.push;
    const counted = new WeakSet<Decompress>();
    vi.spyOn(Decompress.prototype, 'push').mockImplementation(function (this: Decompress, chunk, final) {
      const handOver = this.ondata;
      if (!counted.has(this))
        this.ondata = (piece, last) => {
          unpacked += piece.length;
          most = Math.max(most, unpacked - taken);
          handOver(piece, last);
        };
      counted.add(this);
      push.call(this, chunk, final);
    });
    const { zip } = await opened(archive);
    for await (const piece of zip.text('long.json')) taken += piece.length;
    zip.close();
    expect([taken, unpacked]).toEqual([text.length, text.length]);
    expect(most).toBeLessThanOrEqual(9 * 128 * 1024);
  });
});

describe('a file that is no archive', () => {
  it('and is JSON is said to be perhaps an older log, with what converts it', async () => {
    const path = written('\n{"version": 2, "status": "success", "eval": {}}');
    await expect(openZip(path, 'l.json')).rejects.toMatchObject({
      ...{ name: 'UnreadableFile', file: 'l.json', key: '', kind: 'unknown_kind' },
      message: expect.stringMatching(/^JSON, .*`inspect log convert --to eval --output-dir <folder> <file>`/) as string,
    });
  });

  it('or not there is said to be so', async () => {
    await expect(openZip(written('hello'), 'l.eval')).rejects.toMatchObject({
      message: expect.stringContaining('not a whole zip archive') as string,
    });
    await expect(openZip(join(folder, 'none'), 'l.eval')).rejects.toMatchObject({
      ...{ kind: 'unreadable', message: 'cannot be read: ENOENT' },
    });
  });
});
