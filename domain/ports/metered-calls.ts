import type { EndReason } from '../run/outcomes.js';
import type { Json } from '../gateway/json.js';
import type { StreamEvent, Wire } from '../gateway/wire.js';
import type { ProviderError } from '../model/provider-error.js';
import type { RunDefinition } from '../run/run.js';

/** A program's call as it goes to the provider: checked, and without anything that identifies its client. */
export interface MeteredCall {
  step: number;
  wire: Wire;
  /** As the client asked. */
  asked: Json;
  /** As it goes out. */
  body: Json;
  /** `body` as JSON. */
  text: string;
  images: number;
  /** Length of the images' data within the body. */
  imageBytes: number;
  /** Further headers, from a list of allowed ones. */
  headers: Readonly<Record<string, string>>;
}

export type MeteredResult =
  | { kind: 'answered'; answer: Json }
  /** A limit of the run forbids it. */
  | { kind: 'limit'; endReason: EndReason }
  /** The provider does not accept the request: its own words, for the client. */
  | { kind: 'refused'; status: number; body: Json }
  /** `begun`: the client has a part of the answer. */
  | { kind: 'fault'; fault: ProviderError; begun: boolean };

/** A run's calls, through ledger and rate governor. */
export interface MeteredCalls {
  /** `event`: gets a streamed answer as it comes. Never given up: what was sent is read to its end, and paid. */
  call(call: MeteredCall, event: (event: StreamEvent) => void): Promise<MeteredResult>;
  /** Free: the provider counts the tokens of a prompt, given as JSON. */
  countTokens(text: string, headers: Readonly<Record<string, string>>): Promise<{ status: number; body: Json }>;
}

/** Opens a run's calls. Throws BenchError (usage) where the worker lacks the model's key or address. */
export type OpenCalls = (run: RunDefinition) => MeteredCalls;
