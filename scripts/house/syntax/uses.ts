import type { Node } from 'oxc-parser';
import { literal } from './walk.ts';

/** The name a node uses as a value: `Math.random` for a member of an identifier, else the identifier. */
export function usedName(node: Node, parent: Node | null, key: string): string | null {
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
