/** Where the services of a home answer, whether embedded or given by the environment. */
export interface ServiceEndpoints {
  databaseUrl: string;
  temporalAddress: string;
  temporalNamespace: string;
  /**
   * Of the embedded server: what its clients need beside the address, as the variables of `temporalAccess`. Empty: nothing, or the
   * environment names a server, and how to speak to it.
   */
  temporalVariables: Record<string, string>;
  /** Which of them this home runs itself. */
  embedded: { postgres: boolean; temporal: boolean; worker: boolean };
}
