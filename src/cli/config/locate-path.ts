import type { AnyNode, CallExpression } from 'acorn';
import { pointerKeys } from '../../model/index.ts';
import type { SourceLocation } from '../cli-fault.ts';
import { findDeclaration, findDefaultExport, readSourceTree, type SourceNode, type SourceTree } from './source-tree.ts';

/**
 * Locates the value at a JSON Pointer in the source of a module, as far as the source can be followed: through names,
 * relative imports and calls such as `agent({ … })`. Returns null if the file cannot be parsed.
 */
export function locatePath(file: string, path: string): SourceLocation | null {
  const tree = readSourceTree(file);
  const root = tree === null ? null : findDefaultExport(tree);
  return root === null ? null : walkPointer(root, path);
}

/** Locates the value at a JSON Pointer into the first argument of a call, such as `agent(…)`. */
export function locateCall(call: SourceLocation, path: string): SourceLocation {
  const tree = readSourceTree(call.file);
  const node = tree === null ? null : findCallAt(tree, call);
  if (tree === null || node === null) return call;
  const [first] = node.arguments;
  return first === undefined ? call : walkPointer({ tree, node: first }, path);
}

/** The maximum number of resolved names, in case of a cycle. */
const STEPS_MAX = 20;

function walkPointer(root: SourceNode, path: string): SourceLocation {
  let at = root;
  let place = locateNode(root);
  for (const token of splitPointer(path)) {
    const next = findChild(resolveNode(at), token);
    // The runtime inserts path segments that the source does not contain, such as the overrides of a budget.
    if (next === null) continue;
    place = locateNode(next.key);
    at = next.value;
  }
  return place;
}

/** Follows names, awaits and calls to the expression they stand for. */
function resolveNode(found: SourceNode, steps = 0): SourceNode {
  const { tree, node } = found;
  if (steps > STEPS_MAX) return found;
  const next = resolveOnce(tree, node);
  return next === null ? found : resolveNode(next, steps + 1);
}

function resolveOnce(tree: SourceTree, node: AnyNode): SourceNode | null {
  switch (node.type) {
    case 'Identifier':
      return findDeclaration(tree, node.name);
    case 'AwaitExpression':
      return { tree, node: node.argument };
    case 'ParenthesizedExpression':
      return { tree, node: node.expression };
    case 'CallExpression':
      return resolveCall(tree, node);
    default:
      return null;
  }
}

/** Resolves `agent({ … })` to its argument, and a call of a user's function to its return value. */
function resolveCall(tree: SourceTree, { callee, arguments: [first] }: CallExpression): SourceNode | null {
  const declared = callee.type === 'Identifier' ? findDeclaration(tree, callee.name) : null;
  if (declared === null) return first === undefined ? null : { tree, node: first };
  const { node } = declared;
  if (node.type === 'ArrowFunctionExpression' && node.expression) return { tree: declared.tree, node: node.body };
  if (!('body' in node) || node.body === null || Array.isArray(node.body) || node.body.type !== 'BlockStatement')
    return null;
  const returned = node.body.body.find((statement) => statement.type === 'ReturnStatement');
  return returned?.type === 'ReturnStatement' && returned.argument != null
    ? { tree: declared.tree, node: returned.argument }
    : null;
}

interface Child {
  readonly key: SourceNode;
  readonly value: SourceNode;
}

function findChild({ tree, node }: SourceNode, token: string): Child | null {
  if (node.type === 'ArrayExpression') {
    const listed = node.elements.map((element) => (element === null ? null : { tree, node: element }));
    const value = listed[Number(token)] ?? listed.find((element) => element !== null && isNamed(element, token));
    return value == null ? null : { key: value, value };
  }
  if (node.type !== 'ObjectExpression') return null;
  for (const property of node.properties) {
    if (property.type !== 'Property' || !isSameName(getKey(property.key), token)) continue;
    return { key: { tree, node: property }, value: { tree, node: property.value } };
  }
  return null;
}

/** Paths address tools and agents by name as well as by index. */
function isNamed(element: SourceNode, name: string): boolean {
  const child = findChild(resolveNode(element), 'name');
  return child?.value.node.type === 'Literal' && child.value.node.value === name;
}

const getKey = (key: AnyNode): string =>
  key.type === 'Identifier' ? key.name : key.type === 'Literal' ? String(key.value) : '';

/** Compares names across notations: stored fields are snake_case, TypeScript options are camelCase. */
const isSameName = (a: string, b: string): boolean => a === b || normalizeName(a) === normalizeName(b);
const normalizeName = (name: string): string => name.replaceAll('_', '').toLowerCase();

const splitPointer = (path: string): readonly string[] =>
  path.includes('/') ? pointerKeys(path.slice(path.indexOf('/'))) : [];

export function locateNode({ tree, node }: SourceNode): SourceLocation {
  const { line = 1, column = 0 } = node.loc?.start ?? {};
  return { file: tree.file, line, column: column + 1 };
}

/** Finds the call at a position from a stack trace, which points to the callee. */
function findCallAt(tree: SourceTree, { line, column }: SourceLocation): CallExpression | null {
  let found: CallExpression | null = null;
  visitNodes(tree.program, (node) => {
    if (node.type !== 'CallExpression') return;
    const { start, end } = node.callee.loc ?? {};
    if (start === undefined || end === undefined || line < start.line || line > end.line) return;
    const isIn = (line > start.line || column > start.column) && (line < end.line || column <= end.column + 1);
    if (isIn) found = node;
  });
  return found;
}

function visitNodes(node: AnyNode, visit: (node: AnyNode) => void): void {
  visit(node);
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (isNode(child)) visitNodes(child, visit);
    }
  }
}

const isNode = (value: unknown): value is AnyNode =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
