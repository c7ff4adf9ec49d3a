/**
 * A persistent map from names to values, as an AA tree: a put copies only the path to the name. Names come from
 * untrusted input, so they are compared and never hashed or used as object keys: no choice of names makes the tree deep
 * or reaches the prototype.
 */
export type Assoc<V> = AssocNode<V> | null;

interface AssocNode<V> {
  readonly name: string;
  readonly value: V;
  /** The AA tree level; 1 for a leaf. */
  readonly level: number;
  readonly left: Assoc<V>;
  readonly right: Assoc<V>;
}

export function assocGet<V>(assoc: Assoc<V>, name: string): V | undefined {
  let node = assoc;
  while (node !== null && node.name !== name) node = name < node.name ? node.left : node.right;
  return node?.value;
}

export function assocPut<V>(assoc: Assoc<V>, name: string, value: V): AssocNode<V> {
  if (assoc === null) return { name, value, level: 1, left: null, right: null };
  if (assoc.name === name) return { ...assoc, value };
  return name < assoc.name
    ? split(skew({ ...assoc, left: assocPut(assoc.left, name, value) }))
    : split(skew({ ...assoc, right: assocPut(assoc.right, name, value) }));
}

/** Yields the values, ordered by name. */
export function* assocValues<V>(assoc: Assoc<V>): Generator<V> {
  if (assoc === null) return;
  yield* assocValues(assoc.left);
  yield assoc.value;
  yield* assocValues(assoc.right);
}

/** Rotates right if the left child is on the same level. */
function skew<V>(node: AssocNode<V>): AssocNode<V> {
  const { left } = node;
  if (left === null || left.level !== node.level) return node;
  return { ...left, right: { ...node, left: left.right } };
}

/** Rotates left if the two right descendants are on the same level, and raises the new parent. */
function split<V>(node: AssocNode<V>): AssocNode<V> {
  const { right } = node;
  if (right === null || right.right?.level !== node.level) return node;
  return { ...right, level: right.level + 1, left: { ...node, right: right.left } };
}
