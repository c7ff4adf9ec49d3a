import type { Node } from 'oxc-parser';
import { bindings } from './names.ts';
import { literal } from './walk.ts';

export interface ExportedName {
  readonly name: string;
  readonly start: number;
  /** The name of the binding behind the exported name, in this file or in the module it comes from. */
  readonly local: string;
  /** Another module declares it: `export … from`, or the export of an imported name. */
  readonly isReExport: boolean;
}

/** The exported names of a module, each once, except the default and star exports. */
export function exportedNames(body: readonly Node[]): readonly ExportedName[] {
  const imported = new Set(
    body.flatMap((node) =>
      node.type === 'ImportDeclaration' ? node.specifiers.map((specifier) => specifier.local.name) : [],
    ),
  );
  const found = body.flatMap((node): readonly ExportedName[] => {
    if (node.type !== 'ExportNamedDeclaration') return [];
    const { source } = node;
    const listed = node.specifiers.map(({ local, exported }) => ({
      name: nameOf(exported),
      start: exported.start,
      local: nameOf(local),
      isReExport: source !== null || imported.has(nameOf(local)),
    }));
    return [...listed, ...declared(node.declaration)];
  });
  return [...new Map(found.map((one) => [one.name, one])).values()];
}

function declared(node: Node | null): readonly ExportedName[] {
  if (node === null) return [];
  const names =
    node.type === 'VariableDeclaration'
      ? node.declarations.flatMap(({ id }) => bindings(id))
      : 'id' in node
        ? bindings(node.id)
        : [];
  return names.map(({ name, start }) => ({ name, start, local: name, isReExport: false }));
}

const nameOf = (node: Node): string => (node.type === 'Identifier' ? node.name : literal(node));
