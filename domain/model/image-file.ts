import type { ImageType } from './images.js';

export interface ImageFile {
  type: ImageType;
  width: number;
  height: number;
}

/** By its first bytes, never by a name; null: none of these types, or no size in its header. */
export function imageFile(bytes: Buffer): ImageFile | null {
  const found = png(bytes) ?? gif(bytes) ?? webp(bytes) ?? jpeg(bytes);
  return found !== null && found.width > 0 && found.height > 0 ? found : null;
}

const begins = (bytes: Buffer, at: number, text: string): boolean =>
  bytes.toString('latin1', at, at + text.length) === text;

function png(bytes: Buffer): ImageFile | null {
  if (bytes.length < 24 || !begins(bytes, 0, '\x89PNG\r\n\x1a\n') || !begins(bytes, 12, 'IHDR')) return null;
  return { type: 'image/png', width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

function gif(bytes: Buffer): ImageFile | null {
  if (bytes.length < 10 || !(begins(bytes, 0, 'GIF87a') || begins(bytes, 0, 'GIF89a'))) return null;
  return { type: 'image/gif', width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
}

function webp(bytes: Buffer): ImageFile | null {
  if (bytes.length < 30 || !begins(bytes, 0, 'RIFF') || !begins(bytes, 8, 'WEBP')) return null;
  const size = (width: number, height: number): ImageFile => ({ type: 'image/webp', width, height });
  // Lossy: after the start code; lossless: 14 bits each, less one; extended: 24 bits, less one.
  if (begins(bytes, 12, 'VP8 ')) return size(bytes.readUInt16LE(26) & 0x3fff, bytes.readUInt16LE(28) & 0x3fff);
  if (begins(bytes, 12, 'VP8L')) {
    const bits = bytes.readUInt32LE(21);
    return size((bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1);
  }
  return begins(bytes, 12, 'VP8X') ? size(bytes.readUIntLE(24, 3) + 1, bytes.readUIntLE(27, 3) + 1) : null;
}

/** Segments up to the frame's header, which has the size. */
function jpeg(bytes: Buffer): ImageFile | null {
  if (!begins(bytes, 0, '\xff\xd8\xff')) return null;
  for (let at = 2; at + 9 < bytes.length;) {
    if (bytes[at] !== 0xff) return null;
    const marker = bytes[at + 1]!;
    if (marker === 0xff) at += 1;
    else if (isFrame(marker))
      return { type: 'image/jpeg', width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
    else at += 2 + bytes.readUInt16BE(at + 2);
  }
  return null;
}

/** Without tables of Huffman and arithmetic codes, whose numbers lie between. */
const isFrame = (marker: number): boolean => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
