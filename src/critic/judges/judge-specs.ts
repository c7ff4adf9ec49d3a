import { Fault } from '../../model/fault.ts';
import { JudgeSpec, judgeId } from '../../model/judge.ts';
import { parseAt } from '../../model/parse.ts';
import { printable } from '../../model/printable.ts';
import type { RiskClass } from '../../model/risk.ts';
import type { JudgePanel, Rubric } from '../../model/rubric.ts';
import { rubricFor } from '../rubrics.ts';

/** Judges as a run pins them. Two of one name, or one that is named like an evaluator, could not be told apart. */
function judgeSpecs(declared: readonly unknown[], evaluators: readonly string[]): readonly JudgeSpec[] {
  const taken = new Set(evaluators.map((id) => id.slice(0, id.indexOf('@'))));
  return declared.map((given, place) => {
    const spec = parseAt(`/world/judges/${place}`, JudgeSpec, given, 'input_invalid');
    if (taken.has(spec.name)) {
      const message = `judge ${printable(spec.name)}: there is an evaluator or a judge of this name already`;
      throw new Fault('input_invalid', message, { path: `/world/judges/${place}/name` });
    }
    taken.add(spec.name);
    return spec;
  });
}

/** From class to class more of the judges have to answer, and they have to be closer to each other. */
const PANELS: Readonly<Record<RiskClass, Omit<JudgePanel, 'members'>>> = {
  low: { quorum: 0.5, spread: 0.5 },
  moderate: { quorum: 0.6, spread: 0.4 },
  high: { quorum: 1, spread: 0.25 },
  critical: { quorum: 1, spread: 0.2 },
};

/** What a run is measured with, and the judges among that, where there are some. */
export interface Yardstick {
  readonly rubric: Rubric;
  readonly judges?: readonly JudgeSpec[];
}

/** The shipped rubric of a risk class, with the judges that somebody has put beside its evaluators. */
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
