import nunjucks from 'nunjucks';

/** Parts of nunjucks that its types omit. */
interface TemplateNode {
  typename: string;
  lineno: number;
  fields: string[];
  [field: string]: unknown;
}
const { parser } = nunjucks as unknown as { parser: { parse(template: string): TemplateNode } };

export interface VariableUse {
  /** `task`, `name` for `task.name`; a computed part ends the path. */
  path: string[];
  /** From 1. */
  line: number;
}

const isNode = (value: unknown): value is TemplateNode =>
  typeof value === 'object' && value !== null && 'typename' in value && 'fields' in value;
const childrenOf = (node: TemplateNode): TemplateNode[] =>
  node.fields.flatMap((field) => [node[field]].flat()).filter(isNode);

/** `task.limits` → its symbol and the literal keys after it; null for other nodes. */
function pathOf(node: TemplateNode): { path: string[]; open: boolean } | null {
  if (node.typename === 'Symbol') return { path: [String(node.value)], open: true };
  if (node.typename !== 'LookupVal' || !isNode(node.target) || !isNode(node.val)) return null;
  const target = pathOf(node.target);
  if (target === null) return null;
  const literal = node.val.typename === 'Literal' && typeof node.val.value === 'string';
  return literal && target.open
    ? { path: [...target.path, String(node.val.value)], open: true }
    : { path: target.path, open: false };
}

const symbols = (value: unknown): string[] => {
  if (!isNode(value)) return Array.isArray(value) ? value.flatMap(symbols) : [];
  return value.typename === 'Symbol' ? [String(value.value)] : childrenOf(value).flatMap(symbols);
};

/** Names that a node assigns: loop variables, `set`, macros and their arguments. */
function boundIn(node: TemplateNode): string[] {
  const own =
    node.typename === 'For'
      ? ['loop', ...symbols(node.name)]
      : node.typename === 'Set'
        ? symbols(node.targets)
        : node.typename === 'Macro' || node.typename === 'Caller'
          ? ['caller', ...symbols(node.name), ...symbols(node.args)]
          : [];
  return [...own, ...childrenOf(node).flatMap(boundIn)];
}

const GLOBALS = ['range', 'cycler', 'joiner'];

/** Outside variables of all branches; a name assigned anywhere is the template's own. Throws. */
export function templateVariables(template: string): VariableUse[] {
  const root = parser.parse(template);
  const own = new Set([...boundIn(root), ...GLOBALS]);
  const uses: VariableUse[] = [];
  /** `counted`: the node begins a listed path. */
  const visit = (node: TemplateNode, counted = false): void => {
    const found = pathOf(node);
    if (found !== null) {
      if (!counted && !own.has(found.path[0]!)) uses.push({ path: found.path, line: node.lineno + 1 });
      if (found.open) return;
    }
    for (const child of childrenOf(node)) {
      if (node.typename === 'Filter' && child === node.name) continue;
      if (node.typename === 'Is' && child === node.right) continue;
      if (node.typename === 'KeywordArgs' || node.typename === 'Pair') {
        if (child === node.key) continue;
      }
      visit(child, found !== null && child === node.target);
    }
  };
  visit(root);
  return uses;
}
