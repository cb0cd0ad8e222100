/** Keeps the head and tail, about `limit` characters, and states how much was omitted. */
export function clipObservation(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const half = Math.floor(limit / 2);
  const omitted = text.length - 2 * half;
  return `${text.slice(0, half)}\n[... ${omitted} characters left out ...]\n${text.slice(-half)}`;
}
