/** Key formats of providers, long enough never to occur by chance. */
const KNOWN: readonly (readonly [whose: string, pattern: string])[] = [
  ['Anthropic', String.raw`\bsk-ant-[A-Za-z0-9_-]{20,}`],
  ['OpenAI', String.raw`\bsk-(?!ant-)(?:proj-|svcacct-|admin-)?[A-Za-z0-9_-]{32,}`],
  ['OpenRouter', String.raw`\bsk-or-v1-[a-f0-9]{32,}`],
  ['Google', String.raw`\bAIza[A-Za-z0-9_-]{35}\b`],
  ['AWS', String.raw`\b(?:AKIA|ASIA)[A-Z0-9]{16}\b`],
  ['GitHub', String.raw`\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{50,})`],
  ['GitLab', String.raw`\bglpat-[A-Za-z0-9_-]{20,}`],
  ['Hugging Face', String.raw`\bhf_[A-Za-z0-9]{30,}\b`],
  ['Groq', String.raw`\bgsk_[A-Za-z0-9]{40,}\b`],
  ['Slack', String.raw`\bxox[abprs]-[A-Za-z0-9-]{20,}`],
  ['Stripe', String.raw`\b[rs]k_live_[A-Za-z0-9]{20,}`],
  ['a private key', String.raw`-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----`],
];

const ALL = new RegExp(KNOWN.map(([, pattern]) => `(${pattern})`).join('|'), 'g');

/** Owners of keys in a text, each with the key's beginning only. */
export function knownKeysIn(text: string): { whose: string; begins: string }[] {
  return [...text.matchAll(ALL)].map((found) => ({
    whose: KNOWN[found.slice(1).findIndex((group) => group !== undefined)]![0],
    begins: found[0].slice(0, 10),
  }));
}
