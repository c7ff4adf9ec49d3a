import type { RunCase, StepCase } from '../../model/critic/judged-case.ts';
import { Fault } from '../../model/fault/fault.ts';
import type { Evaluator } from './evaluator.ts';

/** All evaluators by `name@version`. An evaluator may judge steps, runs or both. */
export interface EvaluatorTable {
  readonly step: ReadonlyMap<string, Evaluator<StepCase>>;
  readonly run: ReadonlyMap<string, Evaluator<RunCase>>;
}

/** Score names become keys of a JSON object, so names such as `__proto__` are not allowed. */
const SCORE_NAME = /^[a-z][a-z0-9_]{0,99}$/;

export function evaluatorTable(
  step: readonly Evaluator<StepCase>[],
  run: readonly Evaluator<RunCase>[],
): EvaluatorTable {
  return { step: byId(step), run: byId(run) };
}

function byId<C>(evaluators: readonly Evaluator<C>[]): ReadonlyMap<string, Evaluator<C>> {
  const table = new Map<string, Evaluator<C>>();
  for (const evaluator of evaluators) {
    const id = `${evaluator.name}@${evaluator.version}`;
    if (!SCORE_NAME.test(evaluator.name) || !SCORE_NAME.test(scoreName(evaluator))) {
      throw new Fault('input_invalid', `evaluator ${id}: a name must be lower-case letters, digits and _`);
    }
    if (table.has(id))
      throw new Fault('input_invalid', `evaluator ${id} is there twice; a new rule needs a new version`);
    table.set(id, evaluator);
  }
  return table;
}

export function scoreName<C>(evaluator: Evaluator<C>): string {
  return evaluator.feeds ?? evaluator.name;
}
