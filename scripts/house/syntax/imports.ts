import type { Node } from 'oxc-parser';
import { literal } from './walk.ts';

export interface ImportedModule {
  /** The module as written, or `<computed>` if an expression names it. */
  readonly specifier: string;
  /** The compiler erases it: `import type`, `export type … from`, or type specifiers only. */
  readonly isTypeOnly: boolean;
  /** It runs when the expression does: `import()` or `require()`. */
  readonly isDynamic?: true;
}

/** The module that a node imports: static, dynamic, re-exported or as a type. Null if it imports none. */
export function importedModule(node: Node): ImportedModule | null {
  switch (node.type) {
    case 'ImportDeclaration':
      return { specifier: node.source.value, isTypeOnly: isErased(node.importKind, node.specifiers, importKindOf) };
    case 'ExportAllDeclaration':
      return { specifier: node.source.value, isTypeOnly: node.exportKind === 'type' };
    case 'ExportNamedDeclaration':
      if (node.source === null) return null;
      return {
        specifier: node.source.value,
        isTypeOnly: isErased(node.exportKind, node.specifiers, ({ exportKind }) => exportKind),
      };
    case 'ImportExpression':
      return { specifier: literal(node.source), isTypeOnly: false, isDynamic: true };
    case 'TSImportType':
      return { specifier: literal(node.source), isTypeOnly: true };
    case 'TSExternalModuleReference':
      return { specifier: literal(node.expression), isTypeOnly: false };
    case 'CallExpression': {
      const first = node.arguments[0];
      const isRequire = node.callee.type === 'Identifier' && node.callee.name === 'require';
      return isRequire && first !== undefined
        ? { specifier: literal(first), isTypeOnly: false, isDynamic: true }
        : null;
    }
    default:
      return null;
  }
}

function importKindOf(specifier: Node): string | undefined {
  return specifier.type === 'ImportSpecifier' ? specifier.importKind : 'value';
}

function isErased<T>(
  kind: string | undefined,
  specifiers: readonly T[],
  kindOf: (specifier: T) => string | undefined,
): boolean {
  return kind === 'type' || (specifiers.length > 0 && specifiers.every((one) => kindOf(one) === 'type'));
}
