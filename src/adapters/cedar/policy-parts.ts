/** What an expression of a policy holds under a name. Policies as data are records with one key, the operator. */
export const part = (node: unknown, name: string): unknown =>
  typeof node === 'object' && node !== null && Object.hasOwn(node, name) ? Reflect.get(node, name) : undefined;

/** `context.arguments.text` as `arguments.text`, the context itself as nothing; null for what is no part of it. */
export function pathOf(node: unknown): string | null {
  if (part(node, 'Var') === 'context') return '';
  const access = part(node, '.') ?? part(node, 'has');
  const attribute = part(access, 'attr');
  const record = access === undefined ? null : pathOf(part(access, 'left'));
  if (record === null || typeof attribute !== 'string') return null;
  return record === '' ? attribute : `${record}.${attribute}`;
}
