import type { EndReason } from '../run/outcomes.js';
import type { Json } from '../gateway/json.js';
import type { StreamEvent, Wire } from '../gateway/wire.js';
import type { ProviderError } from '../model/provider-error.js';
import type { RunDefinition } from '../run/run.js';

/** A program's checked call for the provider, with nothing that identifies its client. */
export interface MeteredCall {
  step: number;
  wire: Wire;
  /** The client's request. */
  asked: Json;
  /** The outgoing request. */
  body: Json;
  /** `body` as JSON. */
  text: string;
  images: number;
  /** Length of the image data in the body. */
  imageBytes: number;
  /** From the list of allowed headers. */
  headers: Readonly<Record<string, string>>;
}

export type MeteredResult =
  | { kind: 'answered'; answer: Json }
  /** A limit of the run forbids it. */
  | { kind: 'limit'; endReason: EndReason }
  /** The provider rejects the request, in its own words. */
  | { kind: 'refused'; status: number; body: Json }
  /** `begun`: the client has a part of the answer. */
  | { kind: 'fault'; fault: ProviderError; begun: boolean };

export interface CallFollower {
  /** A part of the answer. */
  event(event: StreamEvent): void;
  /** A pause before the call, or between its tries. */
  waits<T>(pause: Promise<T>): Promise<T>;
}

/** A run's calls, through ledger and rate governor. */
export interface MeteredCalls {
  /** Never aborted: a sent call is read to its end and paid. */
  call(call: MeteredCall, by: CallFollower): Promise<MeteredResult>;
  /** Free: the provider counts the tokens of a JSON prompt. */
  countTokens(text: string, headers: Readonly<Record<string, string>>): Promise<{ status: number; body: Json }>;
}

/** Throws BenchError (usage) if the worker lacks the model's key or address. */
export type OpenCalls = (run: RunDefinition) => MeteredCalls;
