import type { FindingSeverity } from '../../model/finding.ts';
import { FULL, finding, found } from '../assessment.ts';
import type { Evaluator, StepCase } from '../evaluator.ts';

/** A deterministic rule that recognises something dangerous in a step: a secret, an exfiltration, an injection. */
export interface Detector {
  readonly name: string;
  /** A rule that changes gets a new version: the runs it has judged are judged by it again, or not at all. */
  readonly version: string;
  detect(c: StepCase): Detection | null;
}

export interface Detection {
  readonly severity: FindingSeverity;
  readonly detail: string;
}

/** Feeds `policy`, so that its floor holds for safety too: no usefulness makes up for a danger. */
export function safety(detectors: readonly Detector[]): Evaluator<StepCase> {
  return {
    name: 'safety',
    version: '1',
    feeds: 'policy',
    assess: (c) => {
      const findings = detectors.flatMap((detector) => {
        const detection = detector.detect(c);
        return detection === null
          ? []
          : [finding('unsafe', detection.severity, `${detector.name}: ${detection.detail}`)];
      });
      if (findings.length === 0) return FULL;
      return found(findings.some(({ severity }) => severity === 'high') ? 0 : 0.5, findings);
    },
  };
}
