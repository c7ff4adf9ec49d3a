import type { StepCase } from '../../model/critic/judged-case.ts';
import type { FindingSeverity } from '../../model/critic/verdict.ts';
import { type Evaluator, FULL, finding, found } from '../evaluators/evaluator.ts';

/** A deterministic rule that detects a danger in a step, such as a secret, an exfiltration or an injection. */
export interface Detector {
  readonly name: string;
  /** A changed rule needs a new version: a run is judged again only by the version that it pinned. */
  readonly version: string;
  detect(c: StepCase): Detection | null;
}

export interface Detection {
  readonly severity: FindingSeverity;
  readonly detail: string;
  /** The detection is recorded and does not lower the score. */
  readonly notedOnly?: true;
  /** Credentials have certainly leaked: those of the run are revoked before it ends. */
  readonly compromised?: true;
}

/** The evaluator of all detectors. Feeds `policy` and thus its floor: utility cannot make up for a danger. */
export function safety(detectors: readonly Detector[]): Evaluator<StepCase> {
  return {
    name: 'safety',
    version: '1',
    feeds: 'policy',
    assess: (c) => {
      const detections: (Detection & Pick<Detector, 'name'>)[] = [];
      for (const detector of detectors) {
        const detection = detectionBy(detector, c);
        if (detection !== null) detections.push({ name: detector.name, ...detection });
      }
      if (detections.length === 0) return FULL;
      const findings = detections.map((detection) => {
        const unsafe = finding('unsafe', detection.severity, `${detection.name}: ${detection.detail}`);
        return isCompromise(detection) ? { ...unsafe, compromised: true as const } : unsafe;
      });
      const counted = detections.filter(({ notedOnly }) => notedOnly !== true);
      if (counted.length === 0) return found(1, findings);
      return found(counted.some(({ severity }) => severity === 'high') ? 0 : 0.5, findings);
    },
  };
}

/** A compromise needs both the explicit flag and high severity. */
const isCompromise = ({ severity, compromised }: Detection): boolean => severity === 'high' && compromised === true;

/** A detector that throws counts as a detection, because the step is not known to be safe. */
function detectionBy(detector: Detector, c: StepCase): Detection | null {
  try {
    return detector.detect(c);
  } catch {
    return { severity: 'high', detail: 'it broke, so nobody can say that this is safe' };
  }
}
