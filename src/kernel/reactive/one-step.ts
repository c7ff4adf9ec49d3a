import { isJsonObject, type Json, type JsonObject } from '../../model/json.ts';
import type { PlanInput } from '../../model/plan.ts';
import { assocGet } from '../assoc.ts';
import { carryOver } from '../carry.ts';
import { doneSteps } from '../done-steps.ts';
import type { KernelEnv } from '../env.ts';
import type { RunState } from '../state.ts';
import { keysOf } from '../verify/validate-step.ts';
import { type FilledKey, resolveInputs } from './resolve-inputs.ts';
import { isReactive } from './route-of.ts';

/** How many steps a proposal has; 0 for whatever is none. */
export function countSteps(proposal: Json): number {
  const steps = isJsonObject(proposal) ? proposal['steps'] : undefined;
  return Array.isArray(steps) ? steps.length : 0;
}

/** What is verified of a proposal: all of it, or, where one step is decided at a time, that step. */
export const takenOf = (env: KernelEnv, state: RunState, proposal: Json): Json =>
  isReactive(env) ? oneStep(env, state, proposal) : proposal;

/**
 * What is taken of a proposal where one step is decided at a time: its first step, with what its tool needs filled in
 * from what the run has committed. Whatever else was proposed was decided before anybody had seen what came of that step.
 * What is no plan comes back as it is, for verification to say so.
 */
function oneStep(env: KernelEnv, state: RunState, proposal: Json): Json {
  if (!isJsonObject(proposal)) return proposal;
  const steps = proposal['steps'];
  const first = Array.isArray(steps) ? steps[0] : undefined;
  if (first === undefined || !isJsonObject(first)) return proposal;
  const step = withInputs(env, state, withoutDone(state, first));
  if (step === first && countSteps(proposal) === 1) return proposal;
  const { decision_checkpoints: checkpoints } = proposal;
  const kept = Array.isArray(checkpoints)
    ? {
        decision_checkpoints: checkpoints.filter((checkpoint) =>
          isAfter(checkpoint, first['id'] ?? first['context_key']),
        ),
      }
    : {};
  return { ...proposal, ...kept, steps: [step] };
}

const isAfter = (checkpoint: Json, id: Json | undefined): boolean =>
  isJsonObject(checkpoint) && checkpoint['after_step'] === id;

/** What the step waits for is done already, or the plan names something that is not in it. */
function withoutDone(state: RunState, step: JsonObject): JsonObject {
  const { depends_on: named, ...rest } = step;
  if (!Array.isArray(named)) return step;
  const { steps } = carryOver(state);
  const open = named.filter((id) => typeof id !== 'string' || assocGet(steps, id) === undefined);
  if (open.length === named.length) return step;
  return open.length === 0 ? rest : { ...rest, depends_on: open };
}

function withInputs(env: KernelEnv, state: RunState, step: JsonObject): JsonObject {
  const tool = step['tool'] ?? step['capability'];
  const spec = typeof tool === 'string' ? env.tools.get(tool) : undefined;
  const given = step['inputs'] ?? [];
  if (spec === undefined || spec.needs.length === 0 || !Array.isArray(given)) return step;
  const filled = filledKeys(env, state);
  const named = new Set(given.filter(isInput).flatMap((input) => keysOf(input).map(({ key }) => key)));
  const covered = filled.filter(({ key }) => named.has(key)).flatMap(({ types }) => types);
  const added = resolveInputs(spec.needs, filled).filter((input) => isOpen(input, covered));
  return added.length === 0 ? step : { ...step, inputs: [...given, ...(added as readonly JsonObject[])] };
}

/** Whoever decided has not said which key of that type is meant. */
const isOpen = (input: PlanInput, covered: readonly string[]): boolean =>
  keysOf(input).every(({ type }) => type === null || !covered.includes(type));

const isInput = (input: Json): input is string | Readonly<Record<string, string>> =>
  typeof input === 'string' || (isJsonObject(input) && Object.values(input).every((key) => typeof key === 'string'));

/** Every context key in the order in which it was filled, the last filling of each. */
function filledKeys(env: KernelEnv, state: RunState): readonly FilledKey[] {
  const { fillers } = carryOver(state);
  return doneSteps(state).flatMap(({ step: { id, context_key: key, tool } }): readonly FilledKey[] =>
    key === undefined || assocGet(fillers, key) !== id ? [] : [{ key, types: env.tools.get(tool)?.produces ?? [] }],
  );
}
