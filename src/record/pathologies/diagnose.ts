import { DETECTORS } from './detectors.ts';
import { PATHOLOGIES, PATHOLOGY_FAMILIES, type Pathology, type PathologyFamily } from './families.ts';
import type { DiagnosisInput } from './signs.ts';

/** A pathology of a run, and the sign that shows it. */
export interface Diagnosis extends Pathology {
  readonly family: PathologyFamily;
  readonly shownBy: string;
}

/** The pathologies of a run, derived from its record. Empty for a healthy run. */
export function diagnose(looked: DiagnosisInput): readonly Diagnosis[] {
  return PATHOLOGY_FAMILIES.flatMap((family) => {
    const shownBy = DETECTORS[family](looked);
    return shownBy === null ? [] : [{ family, shownBy, ...PATHOLOGIES[family] }];
  });
}
