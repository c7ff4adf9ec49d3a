import type { AnyNode, CallExpression } from 'acorn';
import type { Place } from './config-fault.ts';
import { declarationOf, defaultExport, readTree, type SourceNode, type SourceTree } from './source-tree.ts';

/**
 * Where the value at a JSON Pointer stands in the module that exports it, as far as it can be followed: through names,
 * imports of files beside it, and calls such as `agent({ … })`. Null where even the file cannot be read.
 */
export function placeOfPath(file: string, path: string): Place | null {
  const tree = readTree(file);
  const root = tree === null ? null : defaultExport(tree);
  return root === null ? null : walk(root, path);
}

/** The same for a pointer into what a function was called with, such as `agent(…)` in this line. */
export function placeOfCall(call: Place, path: string): Place {
  const tree = readTree(call.file);
  const node = tree === null ? null : callAt(tree, call);
  if (tree === null || node === null) return call;
  const [given] = node.arguments;
  return given === undefined ? call : walk({ tree, node: given }, path);
}

/** Names that are followed, one after the other, before somebody is believed to run in a circle. */
const STEPS_MAX = 20;

function walk(root: SourceNode, path: string): Place {
  let at = root;
  let place = placeOf(root);
  for (const token of tokensOf(path)) {
    const next = childOf(standsFor(at), token);
    // What is put together has places that nobody writes, such as the overrides of a budget: the next one may be there.
    if (next === null) continue;
    place = placeOf(next.named);
    at = next.value;
  }
  return place;
}

/** What a name or a call stands for, as far as it is written out somewhere. */
function standsFor(found: SourceNode, steps = 0): SourceNode {
  const { tree, node } = found;
  if (steps > STEPS_MAX) return found;
  const next = writtenOut(tree, node);
  return next === null ? found : standsFor(next, steps + 1);
}

function writtenOut(tree: SourceTree, node: AnyNode): SourceNode | null {
  switch (node.type) {
    case 'Identifier':
      return declarationOf(tree, node.name);
    case 'AwaitExpression':
      return { tree, node: node.argument };
    case 'ParenthesizedExpression':
      return { tree, node: node.expression };
    case 'CallExpression':
      return ofCall(tree, node);
    default:
      return null;
  }
}

/** `agent({ … })` is what it is given; a function of this person's own is what it returns. */
function ofCall(tree: SourceTree, { callee, arguments: [first] }: CallExpression): SourceNode | null {
  const made = callee.type === 'Identifier' ? declarationOf(tree, callee.name) : null;
  if (made === null) return first === undefined ? null : { tree, node: first };
  const { node } = made;
  if (node.type === 'ArrowFunctionExpression' && node.expression) return { tree: made.tree, node: node.body };
  if (!('body' in node) || node.body === null || Array.isArray(node.body) || node.body.type !== 'BlockStatement')
    return null;
  const last = node.body.body.find((statement) => statement.type === 'ReturnStatement');
  return last?.type === 'ReturnStatement' && last.argument != null ? { tree: made.tree, node: last.argument } : null;
}

interface Child {
  /** Where its name stands. */
  readonly named: SourceNode;
  readonly value: SourceNode;
}

function childOf({ tree, node }: SourceNode, token: string): Child | null {
  if (node.type === 'ArrayExpression') {
    const listed = node.elements.map((element) => (element === null ? null : { tree, node: element }));
    const value = listed[Number(token)] ?? listed.find((element) => element !== null && isNamed(element, token));
    return value == null ? null : { named: value, value };
  }
  if (node.type !== 'ObjectExpression') return null;
  for (const property of node.properties) {
    if (property.type !== 'Property' || !sameName(keyOf(property.key), token)) continue;
    return { named: { tree, node: property }, value: { tree, node: property.value } };
  }
  return null;
}

/** Tools and agents are spoken of by name as well as by their place in a list. */
function isNamed(element: SourceNode, name: string): boolean {
  const found = childOf(standsFor(element), 'name');
  return found?.value.node.type === 'Literal' && found.value.node.value === name;
}

const keyOf = (key: AnyNode): string =>
  key.type === 'Identifier' ? key.name : key.type === 'Literal' ? String(key.value) : '';

/** What is stored is named with underscores, what is written in TypeScript is not. */
const sameName = (a: string, b: string): boolean => a === b || plain(a) === plain(b);
const plain = (name: string): string => name.replaceAll('_', '').toLowerCase();

const tokensOf = (path: string): readonly string[] =>
  path
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));

export function placeOf({ tree, node }: SourceNode): Place {
  const { line = 1, column = 0 } = node.loc?.start ?? {};
  return { file: tree.file, line, column: column + 1 };
}

/** The call of which a stack trace speaks: it names the first character of what is called. */
function callAt(tree: SourceTree, { line, column }: Place): CallExpression | null {
  let found: CallExpression | null = null;
  eachNode(tree.program, (node) => {
    if (node.type !== 'CallExpression') return;
    const { start, end } = node.callee.loc ?? {};
    if (start === undefined || end === undefined || line < start.line || line > end.line) return;
    const isIn = (line > start.line || column > start.column) && (line < end.line || column <= end.column + 1);
    if (isIn) found = node;
  });
  return found;
}

function eachNode(node: AnyNode, visit: (node: AnyNode) => void): void {
  visit(node);
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (isNode(child)) eachNode(child, visit);
    }
  }
}

const isNode = (value: unknown): value is AnyNode =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
