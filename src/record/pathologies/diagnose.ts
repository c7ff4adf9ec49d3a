import { DETECTORS } from './detectors.ts';
import { PATHOLOGIES, PATHOLOGY_FAMILIES, type Pathology, type PathologyFamily } from './families.ts';
import type { Looked } from './signs.ts';

/** A pathology that a run shows, and by what. */
export interface Diagnosis extends Pathology {
  readonly family: PathologyFamily;
  readonly shownBy: string;
}

/** What a run suffers from, read from its record alone. A run in which nothing went wrong has nothing. */
export function diagnose(looked: Looked): readonly Diagnosis[] {
  return PATHOLOGY_FAMILIES.flatMap((family) => {
    const shownBy = DETECTORS[family](looked);
    return shownBy === null ? [] : [{ family, shownBy, ...PATHOLOGIES[family] }];
  });
}
