import { type Node, parseSync, visitorKeys } from 'oxc-parser';

/** One mention of another module: static, dynamic, re-exported, or only a type. */
export interface Mention {
  readonly specifier: string;
  readonly line: number;
}

export interface FileFacts {
  readonly path: string;
  readonly lines: number;
  readonly imports: readonly Mention[];
  /** Free identifiers used as values, and member chains such as `Math.random`. */
  readonly uses: readonly { readonly name: string; readonly line: number }[];
  readonly defaultExports: readonly number[];
  readonly starExports: readonly number[];
  readonly unparsed: readonly string[];
}

type Visit = (node: Node, parent: Node | null, key: string, inType: boolean) => void;

/** Nodes of TypeScript that wrap a value; everything else that starts with TS is a type. */
const VALUE_WRAPPERS = new Set([
  'TSAsExpression',
  'TSSatisfiesExpression',
  'TSNonNullExpression',
  'TSTypeAssertion',
  'TSInstantiationExpression',
  'TSExportAssignment',
  'TSImportEqualsDeclaration',
  'TSExternalModuleReference',
  'TSParameterProperty',
]);

export function scan(path: string, text: string): FileFacts {
  const { program, errors } = parseSync(path, text);
  const lineOf = lineFinder(text);
  const imports: Mention[] = [];
  const uses: { name: string; line: number }[] = [];
  const defaultExports: number[] = [];
  const starExports: number[] = [];
  walk(program, null, '', false, (node, parent, key, inType) => {
    const line = lineOf(node.start);
    const specifier = mentioned(node);
    if (specifier !== null) imports.push({ specifier, line });
    if (node.type === 'ExportDefaultDeclaration') defaultExports.push(line);
    if (node.type === 'ExportSpecifier' && text.slice(node.exported.start, node.exported.end) === 'default')
      defaultExports.push(line);
    if (node.type === 'ExportAllDeclaration') starExports.push(line);
    const name = inType ? null : used(node, parent, key);
    if (name !== null) uses.push({ name, line });
  });
  return {
    path,
    lines: text.split('\n').length - (text.endsWith('\n') ? 1 : 0),
    imports,
    uses,
    defaultExports,
    starExports,
    unparsed: errors.map((error) => error.message),
  };
}

/** The module a node names, or null. A computed `import(x)` is named `<computed>` so that a wall can refuse it. */
function mentioned(node: Node): string | null {
  switch (node.type) {
    case 'ImportDeclaration':
    case 'ExportAllDeclaration':
      return node.source.value;
    case 'ExportNamedDeclaration':
      return node.source?.value ?? null;
    case 'ImportExpression':
    case 'TSImportType':
      return literal(node.source);
    case 'TSExternalModuleReference':
      return literal(node.expression);
    case 'CallExpression': {
      const first = node.arguments[0];
      const isRequire = node.callee.type === 'Identifier' && node.callee.name === 'require';
      return isRequire && first !== undefined ? literal(first) : null;
    }
    default:
      return null;
  }
}

function literal(node: Node): string {
  return node.type === 'Literal' && typeof node.value === 'string' ? node.value : '<computed>';
}

/** The name a node uses as a value: `Math.random` for a member of an identifier, else the identifier. */
function used(node: Node, parent: Node | null, key: string): string | null {
  if (node.type === 'MemberExpression') {
    const property =
      node.property.type === 'Identifier' && !node.computed ? node.property.name : literal(node.property);
    return node.object.type === 'Identifier' ? `${node.object.name}.${property}` : `.${property}`;
  }
  if (node.type !== 'Identifier' || parent === null) return null;
  const isName =
    (parent.type === 'MemberExpression' && key === 'object') ||
    ('computed' in parent && !parent.computed && (key === 'property' || key === 'key')) ||
    parent.type.startsWith('Import') ||
    parent.type === 'ExportSpecifier';
  return isName ? null : node.name;
}

function walk(node: Node, parent: Node | null, key: string, inType: boolean, visit: Visit): void {
  const typeHere = inType || (node.type.startsWith('TS') && !VALUE_WRAPPERS.has(node.type));
  visit(node, parent, key, typeHere);
  for (const childKey of visitorKeys[node.type] ?? []) {
    const child: unknown = Reflect.get(node, childKey);
    for (const one of Array.isArray(child) ? child : [child])
      if (isNode(one)) walk(one, node, childKey, typeHere, visit);
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value;
}

function lineFinder(text: string): (offset: number) => number {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return (offset) => {
    const next = starts.findIndex((start) => start > offset);
    return next === -1 ? starts.length : next;
  };
}
