/** A model's invalid arguments can only be sent back wrapped in an object. */
export function argumentsObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // wrapped below
  }
  return { unparsed: text };
}
