import { existsSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, resolve } from 'node:path';
import { type AnyNode, type Literal, type ModuleDeclaration, type Program, parse, type Statement } from 'acorn';

/** A file that somebody wrote, as the tree of what stands in it. */
export interface SourceTree {
  readonly file: string;
  readonly program: Program;
}

/** A part of it. */
export interface SourceNode {
  readonly tree: SourceTree;
  readonly node: AnyNode;
}

/** Null for a file that cannot be read as a module: then nothing more exact than the file can be said. */
export function readTree(file: string): SourceTree | null {
  try {
    // Erasing types leaves every other character where it was, so places in the one are places in the other.
    const code = quietly(() => stripTypeScriptTypes(readFileSync(file, 'utf8')));
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

/** Node.js warns that this function is new, which is nothing to the person who reads our message. */
function quietly<T>(work: () => T): T {
  const warn = process.emitWarning;
  process.emitWarning = () => undefined;
  try {
    return work();
  } finally {
    process.emitWarning = warn;
  }
}

/** What the module exports by default. */
export function defaultExport(tree: SourceTree): SourceNode | null {
  const found = tree.program.body.find((statement) => statement.type === 'ExportDefaultDeclaration');
  return found?.type === 'ExportDefaultDeclaration' ? { tree, node: found.declaration } : null;
}

type Declared = Statement | ModuleDeclaration;

/** What a name at the top of a module stands for, in this file or in the one that it is imported from. */
export function declarationOf(tree: SourceTree, name: string): SourceNode | null {
  for (const statement of tree.program.body) {
    const node = declaredIn(statement, name);
    if (node !== null) return { tree, node };
    const from = importedAs(statement, name);
    if (from !== null) return exportOf(tree, from);
  }
  return null;
}

function declaredIn(statement: Declared, name: string): AnyNode | null {
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

function importedAs(statement: Declared, name: string): Imported | null {
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

/** Only files that lie beside this one are looked into: what is installed is not this person's to mend. */
function exportOf(tree: SourceTree, { from, name }: Imported): SourceNode | null {
  if (!from.startsWith('.')) return null;
  const file = resolve(dirname(tree.file), from);
  const other = existsSync(file) ? readTree(file) : null;
  if (other === null) return null;
  return name === 'default' ? defaultExport(other) : declarationOf(other, name);
}

/** The statement that imports, or hands on, from there: a package by its name, a file by where it would be. */
export function importOf(tree: SourceTree, from: string): AnyNode | null {
  const isFrom = (source: string): boolean =>
    source === from || source.startsWith(`${from}/`) || resolve(dirname(tree.file), source) === from;
  return (
    tree.program.body.find((node) => 'source' in node && node.source != null && isFrom(sourceOf(node.source))) ?? null
  );
}

const sourceOf = ({ value }: Literal): string => String(value);
