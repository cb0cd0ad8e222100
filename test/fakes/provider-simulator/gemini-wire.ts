import type { ChatMessage, ToolDefinition } from '../../../domain/model/model.js';
import { blank, type ErrorName, type Wire } from './wire.js';

interface Part {
  text?: string;
  functionCall?: { id?: string; name: string; args: unknown };
  functionResponse?: { id?: string; name: string; response?: { output?: string } };
  thoughtSignature?: string;
}
interface Content {
  role: 'user' | 'model';
  parts: Part[];
}
type Body = Record<string, unknown>;
const contentsOf = (body: Body): Content[] => (body['contents'] ?? []) as Content[];

const ERRORS: Record<ErrorName, (about: { model: string; key: string }) => [number, string, string]> = {
  rate_limit: () => [429, 'RESOURCE_EXHAUSTED', 'You exceeded your current quota, please check your plan.'],
  quota: () => [402, 'FAILED_PRECONDITION', 'The billing account has no credit.'],
  server_error: () => [500, 'INTERNAL', 'An internal error has occurred.'],
  overloaded: () => [503, 'UNAVAILABLE', 'The model is overloaded. Please try again later.'],
  context_overflow: () => [
    400,
    'INVALID_ARGUMENT',
    'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
  ],
  unauthorized: () => [400, 'INVALID_ARGUMENT', 'API key not valid. Please pass a valid API key.'],
  forbidden: () => [403, 'PERMISSION_DENIED', 'Permission denied on resource project.'],
  not_found: ({ model }) => [404, 'NOT_FOUND', `models/${model} is not found for API version v1beta`],
  prompt_filtered: () => [400, 'INVALID_ARGUMENT', 'The prompt was blocked by the safety policy'],
  bad_request: ({ key }) => [400, 'INVALID_ARGUMENT', `Invalid value at contents, said ${key}`],
};

/** The server adds the address's model and `stream`. */
const KEYS = [
  ...['contents', 'systemInstruction', 'tools', 'toolConfig', 'safetySettings', 'generationConfig', 'cachedContent'],
  ...['model', 'stream'],
];

/** Gemini's generateContent, as strict as Gemini 3. */
export const geminiWire: Wire = {
  keyOf: (headers) => String(headers['x-goog-api-key'] ?? ''),

  messages(body) {
    const system = ((body['systemInstruction'] ?? { parts: [] }) as { parts: Part[] }).parts;
    return [
      ...system.map(({ text = '' }): ChatMessage => ({ role: 'system', content: text })),
      ...contentsOf(body).flatMap(messagesOf),
    ];
  },

  tools: (body) =>
    (
      (body['tools'] ?? []) as {
        functionDeclarations?: (ToolDefinition & { parametersJsonSchema?: Record<string, unknown> })[];
      }[]
    ).flatMap(({ functionDeclarations = [] }) =>
      functionDeclarations.map(({ name, description, parameters, parametersJsonSchema }): ToolDefinition => ({
        ...{ name, description, parameters: parametersJsonSchema ?? parameters },
      })),
    ),

  refusal(body) {
    const unknown = Object.keys(body).find((key) => !KEYS.includes(key));
    if (unknown !== undefined) return `Invalid JSON payload received. Unknown name "${unknown}": Cannot find field.`;
    const contents = contentsOf(body);
    if (contents[0]?.role !== 'user') return 'the first content is not of the user';
    let open = 0;
    for (const { parts } of contents) {
      if (parts.length === 0) return 'an empty content';
      if (parts.some((part) => 'text' in part && blank(part.text))) return 'an empty text';
      if (parts.filter(({ functionResponse }) => functionResponse !== undefined).length !== open)
        return 'the number of function responses is not that of the calls';
      const calls = parts.filter(({ functionCall }) => functionCall !== undefined);
      open = calls.length;
      for (const { functionCall } of calls) {
        if (!/^[A-Za-z_][A-Za-z0-9_.-]{0,63}$/.test(functionCall!.name)) return 'a bad name of a function';
        if (typeof functionCall!.args !== 'object') return 'the arguments are no object';
      }
      if (calls[0] !== undefined && calls[0].thoughtSignature === undefined)
        return 'Function call is missing a thought_signature in functionCall parts.';
    }
    return null;
  },

  usage: (usage) => ({
    promptTokenCount: usage.inputTokens,
    candidatesTokenCount: usage.outputTokens - usage.reasoningTokens,
    thoughtsTokenCount: usage.reasoningTokens,
    cachedContentTokenCount: usage.cachedTokens,
    totalTokenCount: usage.inputTokens + usage.outputTokens,
  }),

  answer(id, model, reply, usage) {
    const calls = (reply.toolCalls ?? []).map(({ id, name, arguments: given }, index) => ({
      functionCall: { id, name, args: JSON.parse(given) as unknown },
      ...(index === 0 && { thoughtSignature: 'c2lnbmVk' }),
    }));
    const reasons = { length: 'MAX_TOKENS', content_filter: 'SAFETY', refusal: 'PROHIBITED_CONTENT' };
    const reason = reasons[reply.finishReason as 'length'] ?? 'STOP';
    const parts = [...(reply.text === undefined ? [] : [{ text: reply.text }]), ...(reply.rawToolCalls ?? calls)];
    return {
      ...(reply.empty === true
        ? { promptFeedback: { blockReason: 'PROHIBITED_CONTENT' } }
        : { candidates: [{ index: 0, content: { role: 'model', parts }, finishReason: reason }] }),
      ...{ responseId: id, modelVersion: model },
      ...(usage === null ? {} : { usageMetadata: usage }),
    };
  },

  error(kind, about) {
    const [code, status, message] = ERRORS[kind](about);
    return { status: code, body: { error: { code, message, status } } };
  },
};

/** Only some models give their calls ids; without one, the call's name stands for it. */
function messagesOf({ role, parts }: Content): ChatMessage[] {
  if (role === 'user')
    return parts.map(({ text, functionResponse }): ChatMessage => {
      if (functionResponse === undefined) return { role: 'user', content: text ?? '' };
      const id = functionResponse.id ?? functionResponse.name;
      return {
        role: 'tool',
        content: functionResponse.response?.output ?? JSON.stringify(functionResponse.response),
        toolCallId: id,
      };
    });
  const content = parts.map(({ text = '' }) => text).join('');
  const toolCalls = parts.flatMap(({ functionCall }) => {
    if (functionCall === undefined) return [];
    const { id = functionCall.name, name, args } = functionCall;
    return [{ id, name, arguments: JSON.stringify(args) }];
  });
  return [{ role: 'assistant', content, ...(toolCalls.length > 0 && { toolCalls }) }];
}
