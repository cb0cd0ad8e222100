/** Where the services of a home answer, whether embedded or given by the environment. */
export interface ServiceEndpoints {
  databaseUrl: string;
  temporalAddress: string;
  temporalNamespace: string;
  /** Which of them this home runs itself. */
  embedded: { postgres: boolean; temporal: boolean; worker: boolean };
}
