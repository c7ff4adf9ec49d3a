import { existsSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, resolve } from 'node:path';
import { type AnyNode, type Literal, type ModuleDeclaration, type Program, parse, type Statement } from 'acorn';

/** A parsed source file. */
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

export function findDefaultExport(tree: SourceTree): SourceNode | null {
  const found = tree.program.body.find((statement) => statement.type === 'ExportDefaultDeclaration');
  return found?.type === 'ExportDefaultDeclaration' ? { tree, node: found.declaration } : null;
}

type Declared = Statement | ModuleDeclaration;

/** Finds the declaration of a top-level name, in this file or in the file it is imported from. */
export function findDeclaration(tree: SourceTree, name: string): SourceNode | null {
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
