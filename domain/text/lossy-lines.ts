/**
 * Writes a log that must never end its program: lines that cannot be written, as on a full disk, are counted, and the next line that
 * can be written says how many are missing. `write` returns how many bytes it took, or throws.
 */
export function lossyLines(
  write: (bytes: Buffer) => number,
  missing: (lines: number) => string,
): (line: string) => void {
  let lost = 0;
  const written = (text: string): boolean => {
    const bytes = Buffer.from(text);
    try {
      return write(bytes) === bytes.length;
    } catch {
      return false;
    }
  };
  return (line) => {
    // What was cut off stays a line of its own.
    if (written(lost === 0 ? line : `\n${missing(lost)}${line}`)) lost = 0;
    else lost += 1;
  };
}
