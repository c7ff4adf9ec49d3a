import type { RiskClass } from '../model/risk.ts';
import type { Rubric } from '../model/rubric.ts';

/** What is always asked, however little can go wrong. */
const BASIC: readonly string[] = [
  'policy@1',
  'safety@1',
  'grounding@1',
  'schema@1',
  'expectation@1',
  'assumptions@1',
  'sources@1',
  'goal@1',
  'steps@1',
  'cost@1',
  'attention@1',
];

/** `safety` and `grounding` feed `policy`, so this one floor holds all three. */
const FLOORS: Readonly<Record<string, number>> = Object.freeze({ policy: 1 });

const LENIENT: Rubric = rubric('lenient', BASIC, { accept: 0.7, confidence: 0.6 });
const STANDARD: Rubric = rubric('standard', [...BASIC, 'evidence@1'], { accept: 0.8, confidence: 0.6 });
/** Its threshold is just below what a step keeps that was as costly as can be and needed a person: 0.9 × 0.95. */
const STRICT: Rubric = rubric('strict', [...STANDARD.evaluators, 'receipt@1'], {
  accept: 0.85,
  confidence: 0.7,
});

const BY_RISK: Readonly<Record<RiskClass, Rubric>> = {
  low: LENIENT,
  moderate: STANDARD,
  high: STRICT,
  critical: STRICT,
};

/** The shipped yardstick for a risk class. From class to class it asks at least as much and accepts at most as much. */
export function rubricFor(risk: RiskClass): Rubric {
  return BY_RISK[risk];
}

function rubric(name: string, evaluators: readonly string[], limits: Pick<Rubric, 'accept' | 'confidence'>): Rubric {
  return Object.freeze({ name, version: '1', evaluators: Object.freeze([...evaluators]), floors: FLOORS, ...limits });
}
