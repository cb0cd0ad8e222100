import { writeFileSync } from 'node:fs';

/** A recording whose commands print this many bytes each, no two the same. */
export function writeLongRecording(file: string, { steps, bytes }: { steps: number; bytes: number }): string {
  const trajectory = Array.from({ length: steps }, (_, i) => {
    const [thought, action] = [`Step ${i + 1}.`, `seq ${(i + 1) * 1000} 99999999 | head -c ${bytes}`];
    return { thought, action, response: `${thought}\n\`\`\`\n${action}\n\`\`\``, observation: '', state: null };
  });
  writeFileSync(file, JSON.stringify({ trajectory, info: {} }));
  return file;
}
