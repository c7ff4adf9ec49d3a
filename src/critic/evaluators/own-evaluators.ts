import { type Rubric, Versioned } from '../../model/critic/rubric.ts';
import { Fault } from '../../model/fault/fault.ts';
import { deepFreeze } from '../../model/json/freeze.ts';
import { printable } from '../../model/json/printable.ts';
import type { Detector } from '../step/safety.ts';
import { type Evaluator, type Evaluators, type EvaluatorTable, evaluatorTable, withEvaluators } from './evaluator.ts';
import { standardEvaluators } from './standard-evaluators.ts';

/** The shipped evaluators and those of the host, for a run with this rubric. */
export function evaluatorsOf(
  detectors: readonly Detector[],
  rubric: Rubric | null,
  { step = [], run = [] }: Partial<Evaluators>,
): EvaluatorTable {
  return withEvaluators(standardEvaluators(detectors, rubric), { step: step.map(protect), run: run.map(protect) });
}

/** Reads an evaluator of the host once, and shows it frozen cases: it must not change what others judge. */
function protect<C>(evaluator: Evaluator<C>): Evaluator<C> {
  const { name, version, feeds } = evaluator;
  const assess: Evaluator<C>['assess'] = (c) => evaluator.assess(deepFreeze(c));
  return { name, version, ...(feeds === undefined ? {} : { feeds }), assess };
}

/** The panel of model judges, which has members only if the rubric has some. */
const PANEL = 'judges@1';

/** Every evaluator that a rubric can name here, as `name@version`. */
export function evaluatorIds(own: Partial<Evaluators>): readonly string[] {
  const { step, run } = evaluatorsOf([], null, own);
  return [...new Set([...step.keys(), ...run.keys(), PANEL])];
}

/** The ids of the evaluators of the host that judge new runs: of several versions, the last one of each name. */
export function newestIds({ step = [], run = [] }: Partial<Evaluators>): readonly string[] {
  return [...new Map([...step, ...run].map(({ name, version }) => [name, `${name}@${version}`])).values()];
}

const SHIPPED_NAMES: ReadonlySet<string> = new Set(evaluatorIds({}).map((id) => id.slice(0, id.indexOf('@'))));

/** Refuses evaluators of the host that take the name of a shipped one, or that no rubric can name. */
export function assertOwnEvaluators({ step = [], run = [] }: Partial<Evaluators>): void {
  evaluatorTable(step, run);
  for (const { name, version } of [...step, ...run]) {
    if (SHIPPED_NAMES.has(name)) throw refuse(name, 'an evaluator of this name ships with Ambit');
    if (!Versioned.safeParse(`${name}@${version}`).success)
      throw refuse(name, 'its version must be letters, digits, dots and hyphens, such as 1 or 2.1');
  }
}

const refuse = (name: string, why: string): Fault =>
  new Fault('input_invalid', `evaluator ${printable(name)}: ${why}`, { path: '/world/policy/evaluators' });
