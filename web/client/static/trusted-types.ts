/** Replaces trusted-types.ts in an export: only its packs are scripts. */
export function installTrustedTypes(): void {
  const { trustedTypes } = window as unknown as { trustedTypes?: TrustedTypes };
  const data = new URL('data/', location.href.replace(/#.*$/, '')).href;
  trustedTypes?.createPolicy('default', {
    createHTML: (html) => (html === '' ? html : null),
    createScriptURL: (url) => (url.startsWith(data) ? url : null),
  });
}

interface TrustedTypes {
  createPolicy: (
    name: string,
    rules: { createHTML: (html: string) => string | null; createScriptURL: (url: string) => string | null },
  ) => unknown;
}
