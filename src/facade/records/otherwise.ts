import type { Evaluator, RunCase, StepCase } from '../../critic/evaluator.ts';
import { type EvaluatorTable, evaluatorTable } from '../../critic/evaluator-table.ts';
import { standardEvaluators } from '../../critic/standard-evaluators.ts';
import type { Detector } from '../../critic/step/safety.ts';
import { usualDetectors } from '../../critic/step/usual-detectors.ts';
import type { StandardGraphName } from '../../kernel/graph/standard-graphs.ts';
import { Fault } from '../../model/fault.ts';
import type { GraphSpec } from '../../model/graph.ts';
import { KernelLimits } from '../../model/kernel-limits.ts';
import { parseNamed } from '../../model/parse.ts';
import { pointerToken } from '../../model/pointer.ts';
import { printable } from '../../model/printable.ts';
import { Rubric } from '../../model/rubric.ts';
import type { Authorizer } from '../../ports/authorizer.ts';
import type { ReplayEnv } from '../../replay/replay.ts';
import { graphFor } from '../../session/assembly/graph-for.ts';
import { policyEngine } from '../../session/assembly/policy-engine.ts';
import { criticOf } from '../../session/effects.ts';
import type { DecidingRoom } from './pins.ts';

/** What a run is looked at under instead of what it was decided by. Whatever is left out stays as it was. */
export interface Otherwise {
  readonly policy?: Authorizer;
  readonly rubric?: Rubric;
  /** Besides the shipped ones, or in the place of one of the same name and version. A rubric says which are asked. */
  readonly evaluators?: Partial<Evaluators>;
  readonly detectors?: readonly Detector[];
  readonly graph?: StandardGraphName | GraphSpec;
  readonly limits?: Partial<KernelLimits>;
}

export interface Evaluators {
  readonly step: readonly Evaluator<StepCase>[];
  readonly run: readonly Evaluator<RunCase>[];
}

/** What a run was decided by, with the other rules in the place of its own. */
export function decidedOtherwise(
  { parts, detectors: given }: DecidingRoom,
  { env }: ReplayEnv,
  otherwise: Otherwise,
): ReplayEnv {
  assertKnown('whatIf', otherwise, RULES, '');
  if (otherwise.evaluators !== undefined) assertKnown('evaluators', otherwise.evaluators, JUDGED, '/evaluators');
  const { policy, graph, limits } = otherwise;
  const detectors = otherwise.detectors ?? usualDetectors(parts.pins.agent.boundary, given);
  const rubric =
    otherwise.rubric === undefined ? env.rubric : parseNamed('rubric', Rubric, otherwise.rubric, 'input_invalid');
  const { version, invariants } = env.policy;
  return {
    env: {
      ...env,
      rubric,
      graph: graph === undefined ? env.graph : graphFor(graph, parts.pins.agent, env.hash),
      limits: parseNamed('limits', KernelLimits, { ...env.limits, ...limits }, 'input_invalid'),
      policy: policy === undefined ? env.policy : policyEngine({ plans: { version, invariants }, calls: policy }),
    },
    critic: criticOf(rubric, withEvaluators(standardEvaluators(detectors, rubric), otherwise.evaluators)),
  };
}

/** Complete by their types: whoever adds a rule says here that it is known. */
const RULES: Readonly<Record<keyof Otherwise, true>> = {
  policy: true,
  rubric: true,
  evaluators: true,
  detectors: true,
  graph: true,
  limits: true,
};
const JUDGED: Readonly<Record<keyof Evaluators, true>> = { step: true, run: true };

/** A misspelt rule would be answered as if everything stayed as it was, and be believed. */
function assertKnown(what: string, given: unknown, rules: Readonly<Record<string, true>>, place: string): void {
  const known = Object.keys(rules).join(', ');
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new Fault('input_invalid', `${what} takes an object of ${known}`, { path: place });
  }
  const strange = Object.keys(given).filter((key) => !Object.hasOwn(rules, key));
  const [first] = strange;
  if (first === undefined) return;
  const message = `${what}: there is no ${printable(strange.join(', '))}; there are ${known}`;
  throw new Fault('input_invalid', message, { path: place + pointerToken(first) });
}

function withEvaluators(usual: EvaluatorTable, { step = [], run = [] }: Partial<Evaluators> = {}): EvaluatorTable {
  const given = evaluatorTable(step, run);
  return { step: new Map([...usual.step, ...given.step]), run: new Map([...usual.run, ...given.run]) };
}
