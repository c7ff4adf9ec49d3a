/**
 * Values by name, in versions that share almost everything: a search tree that stays balanced by its levels (an AA
 * tree). Adding a name copies the way to it and nothing else, so the thousandth costs about what the tenth does.
 * Names come from strangers: they are compared, never hashed and never used as keys, so no choice of them makes the
 * tree deep or reaches anything but what was put in.
 */
export type Assoc<V> = AssocNode<V> | null;

interface AssocNode<V> {
  readonly name: string;
  readonly value: V;
  /** How many levels of the tree begin here; a name at the bottom has one. */
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

/** In the order of their names. */
export function* assocValues<V>(assoc: Assoc<V>): Generator<V> {
  if (assoc === null) return;
  yield* assocValues(assoc.left);
  yield assoc.value;
  yield* assocValues(assoc.right);
}

/** A left child on the same level becomes the parent. */
function skew<V>(node: AssocNode<V>): AssocNode<V> {
  const { left } = node;
  if (left === null || left.level !== node.level) return node;
  return { ...left, right: { ...node, left: left.right } };
}

/** Two right children on the same level lift the one between them. */
function split<V>(node: AssocNode<V>): AssocNode<V> {
  const { right } = node;
  if (right === null || right.right?.level !== node.level) return node;
  return { ...right, level: right.level + 1, left: { ...node, right: right.left } };
}
