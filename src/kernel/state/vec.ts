import { Fault } from '../../model/fault/fault.ts';

/** A persistent append-only list: a tree of chunks of 32, where a push or set copies one chunk per level. */
const BITS = 5;
const WIDTH = 32;
const MASK = WIDTH - 1;

/** The lowest level holds items, all others hold nodes. */
type VecNode<T> = { readonly items: readonly T[] } | { readonly nodes: readonly VecNode<T>[] };

export interface Vec<T> {
  readonly size: number;
  /** Number of node levels above the items. */
  readonly depth: number;
  readonly root: VecNode<T>;
}

export const vecEmpty: Vec<never> = Object.freeze({
  size: 0,
  depth: 0,
  root: Object.freeze({ items: Object.freeze([]) }),
});

/** Builds a list chunk by chunk; pushing the items one by one would copy a chunk for each. */
export function vecOf<T>(items: readonly T[]): Vec<T> {
  let level: VecNode<T>[] = chunksOf(items).map((chunk) => ({ items: chunk }));
  let depth = 0;
  for (; level.length > 1; depth += 1) level = chunksOf(level).map((nodes) => ({ nodes }));
  return { size: items.length, depth, root: level[0] ?? vecEmpty.root };
}

function chunksOf<T>(all: readonly T[]): T[][] {
  const chunks: T[][] = [];
  for (let from = 0; from < all.length; from += WIDTH) chunks.push(all.slice(from, from + WIDTH));
  return chunks;
}

export function vecGet<T>(vec: Vec<T>, index: number): T | undefined {
  if (!isIndex(vec, index)) return undefined;
  let node = vec.root;
  for (let depth = vec.depth; 'nodes' in node; depth -= 1) {
    const child = node.nodes[(index >>> (depth * BITS)) & MASK];
    if (child === undefined) return undefined;
    node = child;
  }
  return node.items[index & MASK];
}

export function vecSet<T>(vec: Vec<T>, index: number, value: T): Vec<T> {
  if (!isIndex(vec, index)) throw new Fault('internal', `place ${index} of a list of ${vec.size}`);
  return { size: vec.size, depth: vec.depth, root: write(vec.root, vec.depth, index, value) };
}

export function vecPush<T>(vec: Vec<T>, value: T): Vec<T> {
  const isFull = vec.size === WIDTH << (vec.depth * BITS);
  const depth = isFull ? vec.depth + 1 : vec.depth;
  const root = isFull ? { nodes: [vec.root] } : vec.root;
  return { size: vec.size + 1, depth, root: write(root, depth, vec.size, value) };
}

/** Returns the items from `start` on, in time proportional to their number. */
export function vecFrom<T>(vec: Vec<T>, start: number): T[] {
  if (start >= vec.size) return [];
  // A one-element literal has no spare capacity, and there is nearly always one item.
  const tail = [vecGet(vec, start) as T];
  for (let index = start + 1; index < vec.size; index += 1) tail.push(vecGet(vec, index) as T);
  return tail;
}

export function vecToArray<T>(vec: Vec<T>): T[] {
  const all: T[] = [];
  const collect = (node: VecNode<T>): void => {
    if ('items' in node) for (const item of node.items) all.push(item);
    else node.nodes.forEach(collect);
  };
  collect(vec.root);
  return all;
}

const isIndex = <T>(vec: Vec<T>, index: number): boolean => Number.isInteger(index) && index >= 0 && index < vec.size;

/** Copies the path to one index and sets the value, adding missing nodes. */
function write<T>(node: VecNode<T> | undefined, depth: number, index: number, value: T): VecNode<T> {
  if (depth === 0) {
    return { items: copyWith(node !== undefined && 'items' in node ? node.items : [], index & MASK, value) };
  }
  const nodes = node !== undefined && 'nodes' in node ? node.nodes : [];
  const place = (index >>> (depth * BITS)) & MASK;
  return { nodes: copyWith(nodes, place, write(nodes[place], depth - 1, index, value)) };
}

/** `toSpliced` allocates exactly the new length; a growing array would reserve half as much again. */
const copyWith = <T>(chunk: readonly T[], place: number, value: T): readonly T[] =>
  place === chunk.length ? chunk.toSpliced(place, 0, value) : chunk.with(place, value);
