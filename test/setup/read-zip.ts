import { text } from 'node:stream/consumers';
import { type Entry, fromBuffer } from 'yauzl';

export interface ZipMember {
  name: string;
  /** 8: deflate. */
  method: number;
  text: string;
}

export async function readZip(archive: Buffer): Promise<ZipMember[]> {
  return new Promise((resolve, reject) => {
    fromBuffer(archive, { lazyEntries: true }, (error, zip) => {
      if (error !== null) return reject(error);
      const members: ZipMember[] = [];
      zip.on('error', reject);
      zip.on('end', () => resolve(members));
      zip.on('entry', (entry: Entry) => {
        zip.openReadStream(entry, (problem, stream) => {
          if (problem !== null) return reject(problem);
          text(stream).then((whole) => {
            members.push({ name: entry.fileName, method: entry.compressionMethod, text: whole });
            zip.readEntry();
          }, reject);
        });
      });
      zip.readEntry();
    });
  });
}
