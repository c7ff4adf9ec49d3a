import { graphFor, policyEngine } from '../../agent/rules.ts';
import { type Evaluators, withEvaluators } from '../../critic/evaluators/evaluator.ts';
import { evaluatorsOf } from '../../critic/evaluators/own-evaluators.ts';
import { usualDetectors } from '../../critic/step/detectors.ts';
import type { Detector } from '../../critic/step/safety.ts';
import type { StandardGraphName } from '../../kernel/index.ts';
import { KernelLimits } from '../../model/budget/kernel-limits.ts';
import { Rubric } from '../../model/critic/rubric.ts';
import { Fault } from '../../model/fault/fault.ts';
import { parseNamed } from '../../model/json/parse.ts';
import { pointerToken } from '../../model/json/pointer.ts';
import { printable } from '../../model/json/printable.ts';
import type { GraphSpec } from '../../model/plan/graph.ts';
import type { Authorizer } from '../../ports/authorizer.ts';
import type { ReplayEnv } from '../../replay/replay.ts';
import { criticOf } from '../../session/perform/effects.ts';
import type { ReplayDeps } from './pins.ts';

/** The rules to re-evaluate a run with. Omitted rules stay as recorded. */
export interface WhatIfRules {
  readonly policy?: Authorizer;
  readonly rubric?: Rubric;
  /** Added to the built-in evaluators, or replacing those with the same id. The rubric decides which are used. */
  readonly evaluators?: Partial<Evaluators>;
  readonly detectors?: readonly Detector[];
  readonly graph?: StandardGraphName | GraphSpec;
  readonly limits?: Partial<KernelLimits>;
}

/** The replay environment of a run, with some of its rules replaced. */
export function withWhatIfRules(
  { parts, detectors: hostDetectors, evaluators: own }: ReplayDeps,
  { env }: ReplayEnv,
  otherwise: WhatIfRules,
): ReplayEnv {
  assertKnown('whatIf', otherwise, RULES, '');
  if (otherwise.evaluators !== undefined) assertKnown('evaluators', otherwise.evaluators, JUDGED, '/evaluators');
  const { policy, graph, limits } = otherwise;
  const detectors = otherwise.detectors ?? usualDetectors(parts.pins.agent.boundary, hostDetectors);
  const rubric =
    otherwise.rubric === undefined ? env.rubric : parseNamed('rubric', Rubric, otherwise.rubric, 'input_invalid');
  const { version, invariants } = env.policy;
  return {
    env: {
      ...env,
      rubric,
      graph: graph === undefined ? env.graph : graphFor(graph, parts.pins.agent, parts.pins.env),
      limits: parseNamed('limits', KernelLimits, { ...env.limits, ...limits }, 'input_invalid'),
      policy: policy === undefined ? env.policy : policyEngine({ plans: { version, invariants }, calls: policy }),
    },
    critic: criticOf(rubric, withEvaluators(evaluatorsOf(detectors, rubric, own), otherwise.evaluators ?? {})),
  };
}

/** Complete by its type: a new rule does not compile until it is listed here. */
const RULES: Readonly<Record<keyof WhatIfRules, true>> = {
  policy: true,
  rubric: true,
  evaluators: true,
  detectors: true,
  graph: true,
  limits: true,
};
const JUDGED: Readonly<Record<keyof Evaluators, true>> = { step: true, run: true };

/** Rejects unknown rules. A misspelt rule would otherwise change nothing, and its answer would be misleading. */
function assertKnown(what: string, value: unknown, rules: Readonly<Record<string, true>>, place: string): void {
  const known = Object.keys(rules).join(', ');
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Fault('input_invalid', `${what} takes an object of ${known}`, { path: place });
  }
  const strange = Object.keys(value).filter((key) => !Object.hasOwn(rules, key));
  const [first] = strange;
  if (first === undefined) return;
  const message = `${what}: there is no rule ${printable(strange.join(', '))}; there are ${known}`;
  throw new Fault('input_invalid', message, { path: place + pointerToken(first) });
}
