import { crc32, deflateRawSync } from 'node:zlib';

export type Packing = 'stored' | 'deflate' | 'zstd' | 'bzip2';
const LONGEST_BLOCK = 128 * 1024;
const METHOD: Record<Packing, number> = { stored: 0, deflate: 8, bzip2: 12, zstd: 93 };

/** Zstandard for runs of one character: two frames, which readers must join. */
function zstd(text: Buffer): Buffer {
  const half = Math.floor(text.length / 2);
  return Buffer.concat([text.subarray(0, half), text.subarray(half)].map(frame));
}

function frame(bytes: Buffer): Buffer {
  const head = Buffer.alloc(9);
  head.writeUInt32LE(0xfd2fb528, 0);
  // One segment, its size in four bytes.
  head.writeUInt8(0xa0, 4);
  head.writeUInt32LE(bytes.length, 5);
  const blocks: Buffer[] = [];
  for (let at = 0; at === 0 || at < bytes.length; at += LONGEST_BLOCK) {
    const block = bytes.subarray(at, at + LONGEST_BLOCK);
    const last = at + LONGEST_BLOCK >= bytes.length ? 1 : 0;
    const run = block.length > 1 && block.equals(Buffer.alloc(block.length, block[0]));
    const header = Buffer.alloc(3);
    header.writeUIntLE((block.length << 3) | (run ? 2 : 0) | last, 0, 3);
    blocks.push(header, run ? block.subarray(0, 1) : block);
  }
  return Buffer.concat([head, ...blocks]);
}

/** An archive with duplicate names and Inspect's compression, which Node libraries cannot write. */
export function writeZip(members: readonly [name: string, text: string][], packing: Packing = 'deflate'): Buffer {
  const locals: Buffer[] = [];
  const centrals: Buffer[] = [];
  let offset = 0;
  for (const [name, text] of members) {
    const raw = Buffer.from(text);
    const packed = packing === 'deflate' ? deflateRawSync(raw) : packing === 'zstd' ? zstd(raw) : raw;
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(0x800, 2);
    common.writeUInt16LE(METHOD[packing], 4);
    common.writeUInt32LE(crc32(raw), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(raw.length, 18);
    common.writeUInt16LE(Buffer.byteLength(name), 22);
    const local = Buffer.concat([Buffer.from('PK\u0003\u0004'), common, Buffer.from(name), packed]);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(offset, 10);
    centrals.push(
      Buffer.concat([Buffer.from('PK\u0001\u0002'), Buffer.from([20, 0]), common, tail, Buffer.from(name)]),
    );
    locals.push(local);
    offset += local.length;
  }
  const central = Buffer.concat(centrals);
  const end = Buffer.alloc(22);
  end.write('PK\u0005\u0006', 'latin1');
  end.writeUInt16LE(members.length, 8);
  end.writeUInt16LE(members.length, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, central, end]);
}
