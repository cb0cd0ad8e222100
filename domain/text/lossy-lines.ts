/**
 * For a log that must never end its program: counts unwritable lines, as on a full disk, and
 * reports them with the next line. `write` returns the bytes it took, or throws.
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
    // A truncated line stays a line of its own.
    if (written(lost === 0 ? line : `\n${missing(lost)}${line}`)) lost = 0;
    else lost += 1;
  };
}
