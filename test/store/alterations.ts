/** Sweeps over the alterations of a store file. */
import { rmSync, statSync } from 'node:fs';
import { bytesOf, type Cell, cellsOf, changeByte, flipBit, noticed, type Original, seededNumbers } from './alter.ts';

export interface Swept {
  readonly tried: number;
  readonly found: number;
  /** The alterations that no check finds and that change an answer. */
  readonly unnoticed: readonly string[];
}

export const allCells = ({ path }: Original): readonly Cell[] => cellsOf(path);

/** Changes bytes of every value, one at a time, and lists the changes that go unnoticed. */
export async function unnoticedBytes(
  original: Original,
  copy: string,
  which: 'one byte of each' | 'every byte',
): Promise<Swept> {
  const places = function* (): Generator<readonly [string, () => boolean]> {
    const numbers = seededNumbers(7);
    for (const cell of allCells(original)) {
      const length = bytesOf(cell);
      const one = Number(numbers.next().value) % Math.max(1, length);
      const all = which === 'every byte' ? Array.from({ length }, (_, place) => place) : [one];
      for (const place of all)
        yield [`${cell.table}.${cell.column}, byte ${place}`, () => changeByte(original.path, copy, cell, place)];
    }
  };
  return await sweep(original, copy, places());
}

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

export async function unnoticedBits(original: Original, copy: string, bits: Iterable<number>): Promise<Swept> {
  const flips = function* (): Generator<readonly [string, () => boolean]> {
    for (const bit of bits)
      yield [
        `bit ${bit}`,
        () => {
          flipBit(original.path, copy, bit);
          return true;
        },
      ];
  };
  return await sweep(original, copy, flips());
}

async function sweep(
  original: Original,
  copy: string,
  alterations: Iterable<readonly [name: string, alter: () => boolean]>,
): Promise<Swept> {
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
