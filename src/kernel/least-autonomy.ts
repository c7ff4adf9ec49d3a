import { Fault } from '../model/fault.ts';

/** Something a task asks for, and the lowest rank that can do it. Whatever a rank can do, every higher one can too. */
export interface Need {
  readonly rank: number;
  readonly meaning: string;
}
export type NeedTable = Readonly<Record<string, Need>>;

/** Why a rank is not enough. */
export interface Shortfall {
  readonly rank: number;
  readonly why: string;
}

/** The lowest rank that meets every need. A need nobody knows is refused: guessing would pick too low or too high. */
export function leastRank(table: NeedTable, needs: readonly string[]): number {
  return needs.reduce((rank, need) => Math.max(rank, lookUpNeed(table, need).rank), 1);
}

/** For every rank below `rank` that cannot meet the needs, what it lacks; lowest first. */
export function shortfalls(table: NeedTable, needs: readonly string[], rank: number): readonly Shortfall[] {
  const found: Shortfall[] = [];
  for (let lower = 1; lower < rank; lower += 1) {
    const unmet = needs.filter((need) => lookUpNeed(table, need).rank > lower);
    if (unmet.length === 0) continue;
    const why = unmet.map((need) => `it cannot offer ${need} (${lookUpNeed(table, need).meaning})`).join('; ');
    found.push({ rank: lower, why });
  }
  return found;
}

function lookUpNeed(table: NeedTable, need: string): Need {
  const known = Object.hasOwn(table, need) ? table[need] : undefined;
  if (known !== undefined) return known;
  throw new Fault('input_invalid', `"${need}" is not a known need; known are ${Object.keys(table).join(', ')}`, {
    path: '/needs',
  });
}
