import { type Node, visitorKeys } from 'oxc-parser';

export type Visit = (node: Node, parent: Node | null, key: string, inType: boolean) => void;

/** TypeScript nodes that wrap a value; every other node whose type starts with TS is a type. */
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

/** Visits a syntax tree, parents first. */
export function walk(node: Node, visit: Visit, parent: Node | null = null, key = '', inType = false): void {
  const typeHere = inType || (node.type.startsWith('TS') && !VALUE_WRAPPERS.has(node.type));
  visit(node, parent, key, typeHere);
  for (const childKey of visitorKeys[node.type] ?? []) {
    const child: unknown = Reflect.get(node, childKey);
    for (const one of Array.isArray(child) ? child : [child])
      if (isNode(one)) walk(one, visit, node, childKey, typeHere);
  }
}

/** The value of a string literal, or `<computed>` for any other expression. */
export function literal(node: Node): string {
  return node.type === 'Literal' && typeof node.value === 'string' ? node.value : '<computed>';
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value;
}
