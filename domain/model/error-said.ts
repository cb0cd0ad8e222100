import { isJson, type Json } from '../gateway/json.js';

/** What an error body says; untrusted. */
export interface ErrorSaid {
  /** Distinguishes cases, but is never shown to people. */
  text: string;
  code: string;
  type: string;
  param: string;
}

const DEEPEST = 4;
/** Where servers put an error, or wrap that of the server behind them. */
const WITHIN = ['error', 'detail', 'errors', 'metadata'] as const;
const TEXTS = ['message', 'msg', 'raw', 'error_description'] as const;

const word = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'number' && Number.isFinite(value) ? String(value) : '';

/** Dialects: `{error: {…}}`, a list of them, `{error: "…"}`, `{detail: …}`, and everything flat. */
export function errorSaid(body: unknown, depth = 0): ErrorSaid {
  if (typeof body === 'string') return { text: body, code: '', type: '', param: '' };
  if (depth > DEEPEST) return { text: '', code: '', type: '', param: '' };
  if (Array.isArray(body)) return merged(body.slice(0, 5).map((one) => errorSaid(one, depth + 1)));
  if (!isJson(body)) return { text: '', code: '', type: '', param: '' };
  const own = {
    text: TEXTS.map((key) => word(body[key]))
      .filter((text) => text !== '')
      .join(' '),
    code: word(body['code']),
    // Google and TGI have other names for it; an envelope's own type says nothing.
    type: ownType(body) || word(body['error_type']) || word(body['status']),
    param: word(body['param']),
  };
  const within = WITHIN.flatMap((key) => (body[key] == null ? [] : [errorSaid(body[key], depth + 1)]));
  return merged([...within, own]);
}

const ownType = ({ type, error }: Json): string => (type === 'error' && error != null ? '' : word(type));

function merged(all: readonly ErrorSaid[]): ErrorSaid {
  const first = (key: 'code' | 'type' | 'param'): string =>
    all.map((one) => one[key]).find((value) => value !== '') ?? '';
  return {
    text: all
      .map(({ text }) => text)
      .filter((text) => text !== '')
      .join(' '),
    code: first('code'),
    type: first('type'),
    param: first('param'),
  };
}
