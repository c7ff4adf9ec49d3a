import { JudgeSpec, judgeId } from '../../model/critic/judge.ts';
import { type JudgePanel, Rubric } from '../../model/critic/rubric.ts';
import { Fault } from '../../model/fault/fault.ts';
import { deepFreeze } from '../../model/json/freeze.ts';
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

/**
 * The shipped rubric of a risk class, or the one of the host in its place, with the declared judges added. `own` are the
 * evaluators of the host; its rubric names those that it uses.
 */
export function rubricWith(
  risk: RiskClass,
  declared: readonly { readonly spec: JudgeSpec }[],
  { rubric: hostRubric, own = [] }: { readonly rubric?: Rubric; readonly own?: readonly string[] } = {},
): Yardstick {
  const usual = hostRubric ?? withIds(rubricFor(risk), own);
  if (declared.length === 0) return { rubric: usual };
  const judges = judgeSpecs(
    declared.map(({ spec }) => spec),
    [...usual.evaluators, 'judges@1'],
  );
  const panel = Object.freeze({ members: judges.map(judgeId), ...PANELS[risk] });
  return { rubric: Object.freeze({ ...withIds(usual, ['judges@1']), judges: panel }), judges };
}

function withIds(usual: Rubric, ids: readonly string[]): Rubric {
  if (ids.length === 0) return usual;
  return Object.freeze({ ...usual, evaluators: Object.freeze([...usual.evaluators, ...ids]) });
}

/** The evaluators of every rubric that feed `policy`. No rubric of a host may leave one out. */
const CORE: readonly string[] = ['policy@1', 'safety@1', 'grounding@1'];

const RUBRIC_PATH = '/world/policy/rubric';

/** Parses the rubric of a host. It may judge by other thresholds and evaluators, but not without the policy floor. */
export function parseOwnRubric(input: unknown, available: readonly string[]): Rubric {
  const rubric = parseAt(RUBRIC_PATH, Rubric, input, 'input_invalid');
  const refuse = (message: string, place = ''): Fault =>
    new Fault('input_invalid', `rubric ${printable(rubric.name)}: ${message}`, { path: `${RUBRIC_PATH}${place}` });
  if (Object.values(BY_RISK).some(({ name }) => name === rubric.name))
    throw refuse('a rubric of this name ships with Ambit', '/name');
  if (rubric.judges !== undefined) throw refuse('judges are declared in world.judges', '/judges');
  const absent = CORE.filter((id) => !rubric.evaluators.includes(id));
  if (absent.length > 0) throw refuse(`every rubric needs ${CORE.join(', ')}`, '/evaluators');
  if (rubric.floors['policy'] !== 1) throw refuse('every rubric needs the floor policy: 1', '/floors/policy');
  const unknown = rubric.evaluators.find((id) => !available.includes(id) || id === 'judges@1');
  if (unknown === undefined) return deepFreeze(rubric);
  const known = available.filter((id) => id !== 'judges@1').join(', ');
  throw refuse(`there is no evaluator ${unknown}; there are ${known}`, '/evaluators');
}
