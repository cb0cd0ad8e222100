/** Of larger files the page shows the beginning. */
export const MOST_BYTES = 2 * 1024 * 1024;

export function textOf(bytes: Uint8Array): string | null {
  const some = bytes.subarray(0, MOST_BYTES);
  if (some.subarray(0, 8192).includes(0)) return null;
  return new TextDecoder('utf-8').decode(some);
}

/** By its first bytes, whatever its name says; null: not a picture that we show. */
export function pictureType(bytes: Uint8Array): 'image/png' | 'image/jpeg' | 'image/webp' | null {
  const starts = (at: number, ...values: number[]): boolean => values.every((value, i) => bytes[at + i] === value);
  if (starts(0, 0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)) return 'image/png';
  if (starts(0, 0xff, 0xd8, 0xff)) return 'image/jpeg';
  if (starts(0, 0x52, 0x49, 0x46, 0x46) && starts(8, 0x57, 0x45, 0x42, 0x50)) return 'image/webp';
  return null;
}
