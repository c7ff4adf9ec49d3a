import { Fault } from '../../model/fault/fault.ts';

/** A need of a task, and the lowest rank that meets it. Every higher rank meets it too. */
export interface RankedNeed {
  readonly rank: number;
  readonly meaning: string;
}
export type NeedTable = Readonly<Record<string, RankedNeed>>;

/** The reason why a rank is insufficient. */
export interface TierShortfall {
  readonly rank: number;
  readonly why: string;
}

/** The lowest rank that meets every need. Throws on an unknown need, because a guess could be too low or too high. */
export function leastRank(table: NeedTable, needs: readonly string[]): number {
  return needs.reduce((rank, need) => Math.max(rank, lookUpNeed(table, need).rank), 1);
}

/** The unmet needs of every insufficient rank below `rank`, lowest first. */
export function shortfalls(table: NeedTable, needs: readonly string[], rank: number): readonly TierShortfall[] {
  const found: TierShortfall[] = [];
  for (let lower = 1; lower < rank; lower += 1) {
    const unmet = needs.filter((need) => lookUpNeed(table, need).rank > lower);
    if (unmet.length === 0) continue;
    const why = unmet.map((need) => `it cannot offer ${need} (${lookUpNeed(table, need).meaning})`).join('; ');
    found.push({ rank: lower, why });
  }
  return found;
}

function lookUpNeed(table: NeedTable, need: string): RankedNeed {
  const known = Object.hasOwn(table, need) ? table[need] : undefined;
  if (known !== undefined) return known;
  throw new Fault('input_invalid', `"${need}" is not a known need; known are ${Object.keys(table).join(', ')}`, {
    path: '/needs',
  });
}
