import { JudgeSpec, judgeId } from '../../model/critic/judge.ts';
import type { JudgePanel, Rubric } from '../../model/critic/rubric.ts';
import { Fault } from '../../model/fault/fault.ts';
import { parseAt } from '../../model/json/parse.ts';
import { printable } from '../../model/json/printable.ts';
import type { RiskClass } from '../../model/policy/risk.ts';

/** Evaluators of every rubric, in all risk classes. */
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

/** `safety` and `grounding` feed `policy`, so this floor covers all three. */
const FLOORS: Readonly<Record<string, number>> = Object.freeze({ policy: 1 });

const LENIENT: Rubric = rubric('lenient', BASIC, { accept: 0.7, confidence: 0.6 });
const STANDARD: Rubric = rubric('standard', [...BASIC, 'evidence@1'], { accept: 0.8, confidence: 0.6 });
/** Its threshold is just below the score of a step that was as costly as possible and needed a person: 0.9 × 0.95. */
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

/** The shipped rubric of a risk class. A higher class has at least the same evaluators and thresholds. */
export function rubricFor(risk: RiskClass): Rubric {
  return BY_RISK[risk];
}

function rubric(name: string, evaluators: readonly string[], limits: Pick<Rubric, 'accept' | 'confidence'>): Rubric {
  return Object.freeze({ name, version: '1', evaluators: Object.freeze([...evaluators]), floors: FLOORS, ...limits });
}

/** Parses the judges that a run pins. Names are unique among judges and evaluators, because scores go by name. */
function judgeSpecs(declared: readonly unknown[], evaluators: readonly string[]): readonly JudgeSpec[] {
  const taken = new Set(evaluators.map((id) => id.slice(0, id.indexOf('@'))));
  return declared.map((input, place) => {
    const spec = parseAt(`/world/judges/${place}`, JudgeSpec, input, 'input_invalid');
    if (taken.has(spec.name)) {
      const message = `judge ${printable(spec.name)}: there is an evaluator or a judge of this name already`;
      throw new Fault('input_invalid', message, { path: `/world/judges/${place}/name` });
    }
    taken.add(spec.name);
    return spec;
  });
}

/** A higher risk class needs a larger quorum and a smaller spread. */
const PANELS: Readonly<Record<RiskClass, Omit<JudgePanel, 'members'>>> = {
  low: { quorum: 0.5, spread: 0.5 },
  moderate: { quorum: 0.6, spread: 0.4 },
  high: { quorum: 1, spread: 0.25 },
  critical: { quorum: 1, spread: 0.2 },
};

/** The rubric of a run, with the specs of its judges if it has any. */
interface Yardstick {
  readonly rubric: Rubric;
  readonly judges?: readonly JudgeSpec[];
}

/** The shipped rubric of a risk class, with the declared judges added. */
export function rubricWith(risk: RiskClass, declared: readonly { readonly spec: JudgeSpec }[]): Yardstick {
  const shipped = rubricFor(risk);
  if (declared.length === 0) return { rubric: shipped };
  const judges = judgeSpecs(
    declared.map(({ spec }) => spec),
    [...shipped.evaluators, 'judges@1'],
  );
  const rubric: Rubric = Object.freeze({
    ...shipped,
    evaluators: Object.freeze([...shipped.evaluators, 'judges@1']),
    judges: Object.freeze({ members: judges.map(judgeId), ...PANELS[risk] }),
  });
  return { rubric, judges };
}
