/** Sweeps over the alterations of a store file. */
import { rmSync, statSync } from 'node:fs';
import {
  bytesOf,
  byteTrial,
  type Cell,
  cellsOf,
  changeByte,
  flipBit,
  type isUnusedBit,
  noticed,
  type Original,
  seededNumbers,
} from './alter.ts';

export interface Swept {
  readonly tried: number;
  readonly found: number;
  /** The alterations that no check finds and that change an answer. */
  readonly unnoticed: readonly string[];
}

export const allCells = ({ path }: Original): readonly Cell[] => cellsOf(path);

/** Changes one byte of every value in a copy of the store, one at a time, and lists the changes that go unnoticed. */
export async function unnoticedBytes(original: Original, copy: string): Promise<Swept> {
  const numbers = seededNumbers(7);
  const bytes = allCells(original).map((cell): Alteration => {
    const place = Number(numbers.next().value) % Math.max(1, bytesOf(cell));
    return byteAlteration(original, copy, cell, place);
  });
  return await sweep(original, copy, bytes);
}

/**
 * Changes every byte of these values, one at a time, and lists the changes that go unnoticed. Each is tried inside one
 * connection; one that is not found there is made in a copy and read in every way.
 */
export async function unnoticedEveryByte(original: Original, copy: string, cells: readonly Cell[]): Promise<Swept> {
  const trial = byteTrial(original);
  const unfound: Alteration[] = [];
  let tried = 0;
  for (const cell of cells) {
    for (let place = 0; place < bytesOf(cell); place += 1) {
      tried += 1;
      if (!trial.isFound(cell, place)) unfound.push(byteAlteration(original, copy, cell, place));
    }
    if (!trial.isUnaltered()) throw new Error(`a changed byte of ${cell.table}.${cell.column} was not rolled back`);
  }
  trial.close();
  const { found, unnoticed } = await sweep(original, copy, unfound);
  return { tried, found: tried - unfound.length + found, unnoticed };
}

/** An alteration of a copy, with its name. It returns false if the table refuses the value or the bit is unused. */
type Alteration = readonly [name: string, alter: () => boolean];

const byteAlteration = (original: Original, copy: string, cell: Cell, place: number): Alteration => [
  `${cell.table}.${cell.column}, byte ${place}`,
  () => changeByte(original.path, copy, cell, place),
];

/** Seeded places of bits in the file. */
export function* bitFlips(
  { path }: Original,
  { seed, count }: { readonly seed: number; readonly count: number },
): Generator<number> {
  const bits = statSync(path).size * 8;
  let flips = 0;
  for (const number of seededNumbers(seed)) {
    if (flips === count) return;
    flips += 1;
    yield number % bits;
  }
}

/** Flips bits, one at a time, and lists the flips that go unnoticed. `isUnused` tells which need no reading. */
export async function unnoticedBits(
  original: Original,
  copy: string,
  bits: Iterable<number>,
  isUnused: typeof isUnusedBit = () => false,
): Promise<Swept> {
  const flips = function* (): Generator<Alteration> {
    for (const bit of bits)
      yield [
        `bit ${bit}`,
        () => {
          flipBit(original.path, copy, bit);
          return !isUnused(original, copy, bit);
        },
      ];
  };
  return await sweep(original, copy, flips());
}

async function sweep(original: Original, copy: string, alterations: Iterable<Alteration>): Promise<Swept> {
  const unnoticed: string[] = [];
  let [tried, found] = [0, 0];
  for (const [name, alter] of alterations) {
    tried += 1;
    for (const end of ['', '-wal', '-shm']) rmSync(`${copy}${end}`, { force: true });
    if (!alter()) continue;
    const outcome = await noticed(original, copy);
    if (outcome === 'found') found += 1;
    else if (outcome !== 'same') unnoticed.push(`${name}: ${outcome}`);
  }
  return { tried, found, unnoticed };
}
