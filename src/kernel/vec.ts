import { Fault } from '../model/fault.ts';

/**
 * An append-only list whose versions share almost everything: a tree of chunks of 32. Appending to or changing one
 * element copies one chunk per level, so a list of ten thousand costs per change what a list of ten does.
 */
const BITS = 5;
const WIDTH = 32;
const MASK = WIDTH - 1;

/** The lowest level holds items, every level above holds nodes. */
type VecNode<T> = { readonly items: readonly T[] } | { readonly nodes: readonly VecNode<T>[] };

export interface Vec<T> {
  readonly size: number;
  /** How many levels of nodes stand above the items. */
  readonly depth: number;
  readonly root: VecNode<T>;
}

export const vecEmpty: Vec<never> = Object.freeze({
  size: 0,
  depth: 0,
  root: Object.freeze({ items: Object.freeze([]) }),
});

/** All of these at once: chunk after chunk, where adding one after the other would copy each chunk for every item. */
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

/** What stands at `start` and behind it; costs what it gives, not what the list holds. */
export function vecFrom<T>(vec: Vec<T>, start: number): T[] {
  if (start >= vec.size) return [];
  // Nearly always one, and a list that is written with its one item has room for no more.
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

/** Copies the path to one place and puts the value there; a path that does not exist yet is grown. */
function write<T>(node: VecNode<T> | undefined, depth: number, index: number, value: T): VecNode<T> {
  if (depth === 0) {
    return { items: copyWith(node !== undefined && 'items' in node ? node.items : [], index & MASK, value) };
  }
  const nodes = node !== undefined && 'nodes' in node ? node.nodes : [];
  const place = (index >>> (depth * BITS)) & MASK;
  return { nodes: copyWith(nodes, place, write(nodes[place], depth - 1, index, value)) };
}

/** A chunk that grows has room for what it holds: one that grew by itself would keep half as much again for more. */
const copyWith = <T>(chunk: readonly T[], place: number, value: T): readonly T[] =>
  place === chunk.length ? chunk.toSpliced(place, 0, value) : chunk.with(place, value);
