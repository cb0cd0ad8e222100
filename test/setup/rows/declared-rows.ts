import ts from 'typescript';
import { type DeclaredRow, declaresRow } from './answer-check.js';
import type { Alternative, Shape } from './shapes.js';

/** Deeper in JSON anything goes. */
const DEPTH = 4;
const ANYTHING: Shape = [{ is: 'anything' }];

/** Calls of `run<Row>(operation, text, values)`, `client.query<Row>(text)`, `sql<Row>(text)`. */
export function declaredRows(files: readonly string[], options: ts.CompilerOptions, root: string): DeclaredRow[] {
  const program = ts.createProgram(files, { ...options, noEmit: true, skipLibCheck: true });
  const checker = program.getTypeChecker();
  const own = new Set(files);
  const found: DeclaredRow[] = [];
  const visit = (node: ts.Node): void => {
    ts.forEachChild(node, visit);
    if (!ts.isCallExpression(node)) return;
    const source = node.getSourceFile();
    const place = `${source.fileName.slice(root.length + 1)}:${source.getLineAndCharacterOfPosition(node.getStart()).line + 1}`;
    if (node.arguments.length === 3 && isStatements(checker, node.expression)) {
      const [operation, text] = node.arguments as unknown as [ts.Expression, ts.Expression];
      const row = shapeOf(checker, rowOf(checker, node));
      for (const name of literalsOf(checker.getTypeAtLocation(operation)))
        found.push({ operation: name, text: partsOf(checker, text), row, place });
    } else if (isTypedQuery(node)) {
      const [text] = node.arguments as unknown as [ts.Expression];
      found.push({ operation: null, text: partsOf(checker, text), row: shapeOf(checker, rowOf(checker, node)), place });
    }
  };
  for (const source of program.getSourceFiles()) if (own.has(source.fileName)) visit(source);
  // These can be found by neither.
  const unknown = found.filter((one) => one.operation === null && declaresRow(one) && one.text.join('') === '');
  if (unknown.length > 0)
    throw new Error(`neither operation nor text is known: ${unknown.map(({ place }) => place).join()}`);
  return found;
}

/** With a text: settings may change what a row is. */
const isTypedQuery = ({ expression, typeArguments, arguments: [text] }: ts.CallExpression): boolean =>
  ['query', 'sql'].includes((ts.isPropertyAccessExpression(expression) ? expression.name : expression).getText()) &&
  typeArguments?.length === 1 &&
  text !== undefined &&
  !ts.isObjectLiteralExpression(text);

/** By its parameters, so that neither the name of the type nor that of the function matters. */
function isStatements(checker: ts.TypeChecker, callee: ts.Expression): boolean {
  if (!ts.isIdentifier(callee) && !ts.isPropertyAccessExpression(callee)) return false;
  const [signature, ...others] = checker.getTypeAtLocation(callee).getCallSignatures();
  if (signature === undefined || others.length > 0) return false;
  return signature.parameters.map(({ name }) => name).join() === 'operation,text,values';
}

function rowOf(checker: ts.TypeChecker, call: ts.CallExpression): ts.Type | undefined {
  const [written] = call.typeArguments ?? [];
  if (written !== undefined) return checker.getTypeFromTypeNode(written);
  // Promise<Row[]>, where Row comes from what the caller returns.
  const returned = checker.getResolvedSignature(call)?.getReturnType();
  const [rows] = returned === undefined ? [] : checker.getTypeArguments(returned as ts.TypeReference);
  return rows && checker.getTypeArguments(rows as ts.TypeReference)[0];
}

function literalsOf(type: ts.Type): (string | null)[] {
  const types = type.isUnion() ? type.types : [type];
  return types.map((one) => (one.isStringLiteral() ? one.value : null));
}

function partsOf(checker: ts.TypeChecker, text: ts.Expression, depth = 0): string[] {
  const within = (expression: ts.Expression) => (depth < 5 ? partsOf(checker, expression, depth + 1) : ['', '']);
  if (ts.isStringLiteralLike(text)) return [text.text];
  if (ts.isTemplateExpression(text))
    return text.templateSpans.reduce(
      (parts, { expression, literal }) => joined(joined(parts, within(expression)), [literal.text]),
      [text.head.text],
    );
  if (!ts.isIdentifier(text)) return ['', ''];
  const symbol = checker.getSymbolAtLocation(text);
  const actual = symbol && symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  const declaration = actual?.valueDeclaration;
  if (declaration === undefined || !ts.isVariableDeclaration(declaration)) return ['', ''];
  const isConstant = (ts.getCombinedNodeFlags(declaration) & ts.NodeFlags.Const) !== 0;
  return isConstant && declaration.initializer !== undefined ? within(declaration.initializer) : ['', ''];
}

const joined = (before: readonly string[], after: readonly string[]): string[] => [
  ...before.slice(0, -1),
  `${before.at(-1) ?? ''}${after[0] ?? ''}`,
  ...after.slice(1),
];

function shapeOf(checker: ts.TypeChecker, type: ts.Type | undefined, depth = 0): Shape {
  if (type === undefined) return ANYTHING;
  const types = type.isUnion() ? type.types : [type];
  const alternatives = types.flatMap((one) => alternativesOf(checker, one, depth));
  if (alternatives.some(({ is }) => is === 'anything')) return ANYTHING;
  const others = alternatives.filter((one) => !('values' in one));
  const literals = (['string', 'number', 'boolean'] as const).flatMap((is): Alternative[] => {
    const values = alternatives.flatMap((one) => (one.is === is && 'values' in one ? (one.values ?? []) : []));
    return values.length === 0 ? [] : is === 'boolean' && values.length === 2 ? [{ is }] : [{ is, values }];
  });
  return [...literals, ...others];
}

const PRIMITIVES: [ts.TypeFlags, Alternative['is']][] = [
  [ts.TypeFlags.Null, 'null'],
  [ts.TypeFlags.Undefined | ts.TypeFlags.Void, 'undefined'],
  [ts.TypeFlags.StringLike, 'string'],
  [ts.TypeFlags.NumberLike, 'number'],
  [ts.TypeFlags.BooleanLike, 'boolean'],
  [ts.TypeFlags.BigIntLike, 'bigint'],
];

function alternativesOf(checker: ts.TypeChecker, type: ts.Type, depth: number): Shape {
  if (type.isLiteral() && typeof type.value !== 'object')
    return [{ is: typeof type.value as 'string' | 'number', values: [type.value] }];
  if (type.flags & ts.TypeFlags.BooleanLiteral)
    return [{ is: 'boolean', values: [checker.typeToString(type) === 'true'] }];
  for (const [flags, is] of PRIMITIVES) if (type.flags & flags) return [{ is } as Alternative];
  if (type.flags & ts.TypeFlags.Never) return [];
  if (type.isIntersection()) {
    // A string with a brand.
    const primitive = type.types.find((one) => PRIMITIVES.some(([flags]) => one.flags & flags));
    if (primitive !== undefined) return alternativesOf(checker, primitive, depth);
  } else if (!(type.flags & ts.TypeFlags.Object)) return ANYTHING;
  return [objectOf(checker, type, depth)];
}

function objectOf(checker: ts.TypeChecker, type: ts.Type, depth: number): Alternative {
  const name = type.symbol?.name;
  if (name === 'Date') return { is: 'Date' };
  if (name === 'Buffer' || name === 'Uint8Array') return { is: 'Buffer' };
  const deeper = (inner: ts.Type | undefined) => (depth < DEPTH ? shapeOf(checker, inner, depth + 1) : ANYTHING);
  if (checker.isArrayType(type) || checker.isTupleType(type)) {
    const items = checker.getTypeArguments(type as ts.TypeReference);
    return { is: 'array', items: items.length === 0 ? ANYTHING : items.flatMap((item) => deeper(item)) };
  }
  const properties = checker.getPropertiesOfType(type).map((property): [string, Shape] => {
    const shape = deeper(checker.getTypeOfSymbol(property));
    const isOptional = (property.flags & ts.SymbolFlags.Optional) !== 0;
    return [property.name, isOptional ? [...shape, { is: 'undefined' }] : shape];
  });
  const others = checker.getIndexInfoOfType(type, ts.IndexKind.String);
  return {
    is: 'object',
    properties: Object.fromEntries(properties),
    ...(others !== undefined && { others: deeper(others.type) }),
  };
}
