import { createHash } from 'node:crypto';

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

const policy = (scripts: string, styles: string): string =>
  [
    "default-src 'none'",
    `script-src ${scripts}`,
    `style-src ${styles}`,
    "img-src 'self' data: blob:",
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types default',
  ].join('; ');

const head = (rule: string, index: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${rule}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta name="bench-index" content="${index}">
<title>bench</title>
<link rel="icon" href="data:,">`;
const BODY = `<body><div id="root"></div><noscript>This page needs JavaScript.</noscript>`;

/** From disk, some browsers do not take `'self'` as an origin: also name the scheme. */
export const pageInFolder = (parts: { script: string; style: string; index: string }): string =>
  `${head(policy("'self' file:", "'self' file:"), parts.index)}
<link rel="stylesheet" href="${parts.style}">
<script defer src="${parts.script}"></script>
</head>
${BODY}</body>
</html>
`;

/** Script and style are allowed by their hashes; blocks do not run. */
export function pageInOne(parts: { script: string; style: string; index: string; blocks: string }): string {
  const [script, style] = [parts.script.replaceAll('</script', '<\\/script'), parts.style];
  return `${head(policy(hashOf(script), hashOf(style)), parts.index)}
<style>${style}</style>
</head>
${BODY}
${parts.blocks}
<script>${script}</script>
</body>
</html>
`;
}
