import { isJson, type Json, listOf } from '../gateway/json.js';

/** What an error body says; untrusted. */
export interface ErrorSaid {
  /** Distinguishes cases, but is never shown to people. */
  text: string;
  code: string;
  type: string;
  param: string;
  /** Google's RetryInfo: seconds such as `36s`. */
  retryDelay: string;
}

const NOTHING: ErrorSaid = { text: '', code: '', type: '', param: '', retryDelay: '' };
const DEEPEST = 4;
/** Where servers put an error, or wrap that of the server behind them. */
const WITHIN = ['error', 'detail', 'errors', 'metadata', 'message'] as const;
const TEXTS = ['message', 'msg', 'raw', 'error_description'] as const;

const word = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'number' && Number.isFinite(value) ? String(value) : '';

/** Dialects: `{error: {…}}`, a list of them, `{error: "…"}`, `{detail: …}`, and everything flat. */
export function errorSaid(body: unknown, depth = 0): ErrorSaid {
  if (typeof body === 'string') return { ...NOTHING, text: body };
  if (depth > DEEPEST) return NOTHING;
  if (Array.isArray(body)) return merged(body.slice(0, 5).map((one) => errorSaid(one, depth + 1)));
  if (!isJson(body)) return NOTHING;
  const own = {
    text: TEXTS.map((key) => word(body[key]))
      .filter((text) => text !== '')
      .join(' '),
    code: word(body['code']),
    // Google and TGI have other names for it; an envelope's own type says nothing.
    type: ownType(body) || word(body['error_type']) || word(body['status']),
    param: word(body['param']),
    retryDelay:
      listOf(body['details'])
        .map((one) => word(one['retryDelay']))
        .find((delay) => delay !== '') ?? '',
  };
  const within = WITHIN.filter((key) => body[key] != null && !(key === 'message' && own.text !== '')).map((key) =>
    errorSaid(body[key], depth + 1),
  );
  return merged([...within, own]);
}

const ownType = ({ type, error }: Json): string => (type === 'error' && error != null ? '' : word(type));

function merged(all: readonly ErrorSaid[]): ErrorSaid {
  const first = (key: Exclude<keyof ErrorSaid, 'text'>): string =>
    all.map((one) => one[key]).find((value) => value !== '') ?? '';
  return {
    text: all
      .map(({ text }) => text)
      .filter((text) => text !== '')
      .join(' '),
    code: first('code'),
    type: first('type'),
    param: first('param'),
    retryDelay: first('retryDelay'),
  };
}
