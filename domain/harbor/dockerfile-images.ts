/** Part of a Dockerfile that reads more than the task's folder and its base. */
export interface DockerfileRefusal {
  key: string;
  reason: string;
}

/** Skips comments within an instruction, and ends it at a line without a backslash. */
function instructionAt(lines: readonly string[], at: number): { text: string; next: number } {
  let [text, next] = ['', at];
  for (; next < lines.length; next += 1) {
    const line = lines[next]!;
    if (next > at && /^\s*(?:#|$)/.test(line)) continue;
    const [begin] = /^.*(?=\\\s*$)/.exec(line) ?? [];
    text += begin ?? line;
    if (begin === undefined) break;
  }
  return { text: text.trim(), next: next + 1 };
}

/** As the engine reads them: a heredoc's text contains no instructions. */
function instructions(lines: readonly string[]): string[] {
  const found: string[] = [];
  for (let at = 0; at < lines.length;) {
    const { text, next } = instructionAt(lines, at);
    at = next;
    if (/^(?:#|$)/.test(text)) continue;
    found.push(text);
    if (/^(?:ONBUILD\s+)?(?:ADD|COPY|RUN)\s/i.test(text))
      for (const [, dash, word] of text.matchAll(/<<(-?)["']?(\w+)["']?/g)) {
        const end = (line: string) => (dash === '-' ? line.replace(/^\t+/, '') : line) === word;
        while (at < lines.length && !end(lines[at]!)) at += 1;
        at += 1;
      }
  }
  return found;
}

const FROM = /^FROM\s+(?:--\S+\s+)*(\S+)(?:\s+AS\s+(\S+))?/i;

/** Engines prepend `docker.io/library/` to short names. */
const shortName = (image: string): string => image.replace(/^(?:index\.)?docker\.io\//i, '').replace(/^library\//i, '');

/** In no registry, only this engine: bench's own images, with hidden task files, and ids. */
export const isOfThisEngine = (image: string): boolean =>
  /^(?:bench-|localhost(?::\d+)?\/|sha256:)|^[0-9a-f]{12,64}$/i.test(shortName(image));

/** With defaults of the ARGs before the first stage; null: a variable has none. */
function withDefaults(image: string, defaults: ReadonlyMap<string, string>): string | null {
  const known = image.replace(
    /\$(?:\{(\w+)(?::?-([^}]*))?\}|(\w+))/g,
    (whole, braced: string | undefined, otherwise: string | undefined, bare: string | undefined) =>
      defaults.get(braced ?? bare ?? '') ?? otherwise ?? whole,
  );
  return known.includes('$') ? null : known;
}

/**
 * What a foreign build may not do: take files of images other than its base, run its own parser, or
 * make the engine fetch. `allowed`: base images that the user names. Heredoc lines are checked too,
 * since engines differ about them.
 */
export function dockerfileRefusals(text: string, allowed: (image: string) => boolean): DockerfileRefusal[] {
  const lines = text.split(/\r?\n/);
  const refusals = new Map<string, DockerfileRefusal>();
  const refuse = (key: string, reason: string): void => void refusals.set(`${key}\0${reason}`, { key, reason });
  for (const line of lines) {
    const [, name, value = ''] = /^\s*#\s*(\w+)\s*=\s*(\S+)/.exec(line) ?? [];
    if (name === undefined) break;
    if (/^syntax$/i.test(name) && !/^(?:docker\.io\/)?docker\/dockerfile(?::[\w.-]+)?$/.test(value))
      refuse('# syntax', `the image ${value} would read the Dockerfile, and run on this engine`);
    if (/^escape$/i.test(name) && value !== '\\') refuse('# escape', 'lines are continued by a backslash alone');
  }
  const stages = new Set<string>();
  const bases = new Set<string>();
  const defaults = new Map<string, string>();
  let count = 0;
  for (const one of instructions(lines)) {
    const [, name, value] = /^ARG\s+(\w+)=["']?([^\s"']*)/i.exec(one) ?? [];
    if (name !== undefined && value !== undefined && count === 0) defaults.set(name, value);
    const [, image, stage] = FROM.exec(one) ?? [];
    if (image === undefined) continue;
    bases.add(shortName(withDefaults(image, defaults) ?? image));
    stages.add(String(count));
    count += 1;
    if (stage !== undefined) stages.add(stage.toLowerCase());
  }
  const checkSource = (key: string, said: string): void => {
    const from = said.replace(/^["']|["']$/g, '');
    const own = stages.has(from.toLowerCase()) || bases.has(shortName(from));
    if (!(own && !isOfThisEngine(from)) && !allowed(from))
      refuse(key, `takes files of the image ${from}, which is neither a stage nor a base of this Dockerfile`);
  };
  for (const at of lines.keys()) {
    const one = instructionAt(lines, at).text.replace(/^(?:ONBUILD\s+)+/i, '');
    const [, image] = FROM.exec(one) ?? [];
    const known = image === undefined ? undefined : withDefaults(image, defaults);
    if (known === null) refuse('FROM', `${image ?? ''} does not say which image: its variable has no default`);
    else if (known !== undefined && isOfThisEngine(known) && !stages.has(known.toLowerCase()) && !allowed(known))
      refuse('FROM', `${known} is an image of this engine, which no registry has`);
    if (/^(?:COPY|ADD)\s/i.test(one))
      for (const [, from = ''] of one.matchAll(/\s--from=(\S+)/gi)) checkSource('COPY --from', from);
    if (/^RUN\s/i.test(one))
      for (const [, mount = ''] of one.matchAll(/\s--mount=(\S+)/gi))
        for (const [, from = ''] of mount.matchAll(/(?:^|[,"'])from=([^,]+)/gi)) checkSource('RUN --mount', from);
    if (/^ADD\s/i.test(one) && /(?:^|[\s"'[,])(?:[a-z][a-z0-9+.-]*:\/\/|git@)/i.test(one.slice(3)))
      refuse('ADD', 'the engine would fetch it, with the network of this machine: have RUN fetch it');
  }
  return [...refusals.values()];
}

/** Removes the named parser: the engine's own is used. */
export const withoutSyntax = (text: string): string =>
  text.replace(/^(?:\s*#[^\n]*\n)*/, (head) => head.replace(/^\s*#\s*syntax\s*=[^\n]*\n/gim, ''));
