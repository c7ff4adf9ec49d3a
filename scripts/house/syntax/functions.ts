import type { Node } from 'oxc-parser';

const FUNCTIONS: ReadonlySet<string> = new Set([
  'FunctionDeclaration',
  'FunctionExpression',
  'ArrowFunctionExpression',
]);

/** Whether a node is a function with a body; methods are function expressions. */
export const isFunction = (node: Node): boolean => FUNCTIONS.has(node.type);

/** The name of a function: its own, or that of the variable, property or call that contains it. */
export function functionName(node: Node, parent: Node | null): string {
  if ('id' in node && node.id !== null && node.id?.type === 'Identifier') return node.id.name;
  if (parent?.type === 'VariableDeclarator' && parent.id.type === 'Identifier') return parent.id.name;
  if (parent !== null && 'key' in parent && parent.key !== null && typeof parent.key === 'object')
    return parent.key.type === 'Identifier' ? parent.key.name : 'function';
  if (parent?.type === 'CallExpression' && parent.callee.type === 'Identifier')
    return `callback of ${parent.callee.name}`;
  return 'function';
}
