export interface ServiceEndpoints {
  databaseUrl: string;
  temporalAddress: string;
  temporalNamespace: string;
  /** Variables of `temporalAccess` for the embedded server's clients; empty for another server. */
  temporalVariables: Record<string, string>;
  /** Run by this home. */
  embedded: { postgres: boolean; temporal: boolean; worker: boolean };
}
