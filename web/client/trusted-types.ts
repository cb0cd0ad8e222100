/** No HTML from strings, except the empty one that libraries clear with; workers are our files. */
export function installTrustedTypes(): void {
  const { trustedTypes } = window as unknown as { trustedTypes?: TrustedTypes };
  trustedTypes?.createPolicy('default', {
    createHTML: (html) => (html === '' ? html : null),
    createScriptURL: (url) => (new URL(url, location.href).pathname.startsWith('/assets/') ? url : null),
  });
}

interface TrustedTypes {
  createPolicy: (
    name: string,
    rules: { createHTML: (html: string) => string | null; createScriptURL: (url: string) => string | null },
  ) => unknown;
}
