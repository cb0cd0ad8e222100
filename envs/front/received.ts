/**
 * Number of the action whose outcome is in a server's reply; null: none, or the action still runs.
 * Reads OpenEnv observations and JSON-RPC results.
 */
export function receivedSeq(reply: string): number | null {
  const data = fieldOf(parsed(reply), 'data');
  const metadata = fieldOf(data, 'metadata') ?? fieldOf(fieldOf(data, 'result'), 'metadata');
  const seq = fieldOf(metadata, 'action_seq');
  return Number.isSafeInteger(seq) && Number(seq) > 0 && fieldOf(metadata, 'status') !== 'running' ? Number(seq) : null;
}

const fieldOf = (of: unknown, name: string): unknown =>
  typeof of === 'object' && of !== null ? (of as Record<string, unknown>)[name] : undefined;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}
