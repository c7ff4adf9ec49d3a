import { existsSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, resolve } from 'node:path';
import {
  type AnyNode,
  type CallExpression,
  type Literal,
  type ModuleDeclaration,
  type Program,
  parse,
  type Statement,
} from 'acorn';
import { pointerKeys } from '../../model/index.ts';
import type { SourceLocation } from '../cli-fault.ts';

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

export interface SourceTree {
  readonly file: string;
  readonly program: Program;
}

export interface SourceNode {
  readonly tree: SourceTree;
  readonly node: AnyNode;
}

/** Parses a source file. Returns null if it is not a valid module. */
export function readSourceTree(file: string): SourceTree | null {
  try {
    // Type stripping keeps every position, so locations in the result are locations in the source.
    const code = suppressWarnings(() => stripTypeScriptTypes(readFileSync(file, 'utf8')));
    const program = parse(code, {
      ecmaVersion: 'latest',
      sourceType: 'module',
      locations: true,
      allowHashBang: true,
      allowAwaitOutsideFunction: true,
    });
    return { file, program };
  } catch {
    return null;
  }
}

/** Suppresses the warning of Node.js that type stripping is experimental. */
function suppressWarnings<T>(work: () => T): T {
  const warn = process.emitWarning;
  process.emitWarning = () => undefined;
  try {
    return work();
  } finally {
    process.emitWarning = warn;
  }
}

function findDefaultExport(tree: SourceTree): SourceNode | null {
  const found = tree.program.body.find((statement) => statement.type === 'ExportDefaultDeclaration');
  return found?.type === 'ExportDefaultDeclaration' ? { tree, node: found.declaration } : null;
}

type Declared = Statement | ModuleDeclaration;

/** Finds the declaration of a top-level name, in this file or in the file it is imported from. */
function findDeclaration(tree: SourceTree, name: string): SourceNode | null {
  for (const statement of tree.program.body) {
    const node = findLocalDeclaration(statement, name);
    if (node !== null) return { tree, node };
    const from = findImported(statement, name);
    if (from !== null) return findExport(tree, from);
  }
  return null;
}

function findLocalDeclaration(statement: Declared, name: string): AnyNode | null {
  const declaration = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement;
  if (declaration?.type === 'FunctionDeclaration' && declaration.id?.name === name) return declaration;
  if (declaration?.type !== 'VariableDeclaration') return null;
  const found = declaration.declarations.find(({ id }) => id.type === 'Identifier' && id.name === name);
  return found?.init ?? null;
}

interface Imported {
  readonly from: string;
  readonly name: string;
}

function findImported(statement: Declared, name: string): Imported | null {
  if (statement.type !== 'ImportDeclaration') return null;
  const from = String(statement.source.value);
  for (const specifier of statement.specifiers) {
    if (specifier.local.name !== name) continue;
    if (specifier.type === 'ImportDefaultSpecifier') return { from, name: 'default' };
    if (specifier.type === 'ImportSpecifier' && specifier.imported.type === 'Identifier') {
      return { from, name: specifier.imported.name };
    }
  }
  return null;
}

/** Follows relative imports only: the user does not edit installed packages. */
function findExport(tree: SourceTree, { from, name }: Imported): SourceNode | null {
  if (!from.startsWith('.')) return null;
  const file = resolve(dirname(tree.file), from);
  const other = existsSync(file) ? readSourceTree(file) : null;
  if (other === null) return null;
  return name === 'default' ? findDefaultExport(other) : findDeclaration(other, name);
}

/** Finds the statement that imports or re-exports from a package (by name) or a file (by path). */
export function findImport(tree: SourceTree, from: string): AnyNode | null {
  const isFrom = (source: string): boolean =>
    source === from || source.startsWith(`${from}/`) || resolve(dirname(tree.file), source) === from;
  return (
    tree.program.body.find((node) => 'source' in node && node.source != null && isFrom(getSource(node.source))) ?? null
  );
}

const getSource = ({ value }: Literal): string => String(value);
