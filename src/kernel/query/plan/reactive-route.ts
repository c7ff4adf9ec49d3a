import type { Stop } from '../../../model/fault/terminal-code.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../model/json/json.ts';
import type { PlanInput } from '../../../model/plan/plan.ts';
import { needOf, type ToolNeed } from '../../../model/tool/tool.ts';
import type { KernelEnv } from '../../env.ts';
import { assocGet } from '../../state/assoc.ts';
import type { RunState } from '../../state/run-state.ts';
import { keysOf } from '../../verify/validate-step.ts';
import { directAnswer, directReply } from './reasoning.ts';
import { carryOver, doneSteps, nextStep } from './steps.ts';

/** The next node of a reactive run. */
export type ReactiveRoute =
  | { readonly to: 'direct_chat' | 'task_extraction' | 'classifier' | 'reactive_orchestrator' }
  | { readonly to: 'capability'; readonly capability: string }
  | { readonly to: 'error'; readonly reason: 'max_iterations_exceeded' };

/** The inputs of a route. */
export interface ReactiveSituation {
  /** The task needs no tool, so the model answers directly. */
  readonly directChat: boolean;
  readonly error: { readonly retriable: boolean; readonly capability: string } | null;
  readonly stepCount: number;
  readonly stepsMax: number;
  /** The goal has a statement. */
  readonly hasTask: boolean;
  /** The run has an intent and a token. */
  readonly hasCapabilities: boolean;
  /** The capability of the next step that was decided but not run. */
  readonly pending: string | null;
}

/**
 * Picks the route in order of priority: direct answer, error, step limit, missing stages, pending step, orchestrator.
 * Errors come before the limit, so that a run never ends on an unhandled failure.
 */
export function reactiveRoute(situation: ReactiveSituation): ReactiveRoute {
  const { directChat, error, stepCount, stepsMax, hasTask, hasCapabilities, pending } = situation;
  if (directChat) return DIRECT_CHAT;
  if (error !== null) return error.retriable ? { to: 'capability', capability: error.capability } : ORCHESTRATOR;
  if (stepCount > stepsMax) return TOO_MANY_STEPS;
  if (!hasTask) return TASK_EXTRACTION;
  if (!hasCapabilities) return CLASSIFIER;
  return pending === null ? ORCHESTRATOR : { to: 'capability', capability: pending };
}

const DIRECT_CHAT: ReactiveRoute = Object.freeze({ to: 'direct_chat' });
const TASK_EXTRACTION: ReactiveRoute = Object.freeze({ to: 'task_extraction' });
const CLASSIFIER: ReactiveRoute = Object.freeze({ to: 'classifier' });
const ORCHESTRATOR: ReactiveRoute = Object.freeze({ to: 'reactive_orchestrator' });
const TOO_MANY_STEPS: ReactiveRoute = Object.freeze({ to: 'error', reason: 'max_iterations_exceeded' });

/** Whether this run plans one step at a time. */
export const isReactive = ({ limits }: KernelEnv): boolean => limits.planning === 'stepwise';

export function routeOf(env: KernelEnv, state: RunState): ReactiveRoute {
  const { intake, react } = state;
  return reactiveRoute({
    directChat: (directAnswer(state) ?? directReply(state)) !== null,
    error: react.error,
    stepCount: react.stepCount,
    stepsMax: env.limits.reactStepsMax,
    hasTask: intake.goal !== null && intake.goal.statement.trim() !== '',
    hasCapabilities: intake.intent !== null && intake.token !== null,
    pending: nextStep(state)?.step.tool ?? null,
  });
}

export function tooManySteps({ limits }: KernelEnv, { react }: RunState): Stop {
  const detail = { dimension: 'react_steps', used: react.stepCount, limit: limits.reactStepsMax };
  return { code: 'BUDGET_EXHAUSTED', reason: 'max_iterations_exceeded', detail };
}

/** The number of steps of a proposal; 0 if it is not a plan. */
export function countSteps(proposal: Json): number {
  const steps = isJsonObject(proposal) ? proposal['steps'] : undefined;
  return Array.isArray(steps) ? steps.length : 0;
}

/** The part of a proposal that is verified: all of it, or in reactive mode its first step. */
export const stepsToVerify = (env: KernelEnv, state: RunState, proposal: Json): Json =>
  isReactive(env) ? keepFirstStep(env, state, proposal) : proposal;

/**
 * Keeps the first step of a proposal and fills in the inputs that its tool needs. Later steps are dropped, because they
 * were decided before the first result was known. An invalid proposal is returned as it is and fails verification.
 */
function keepFirstStep(env: KernelEnv, state: RunState, proposal: Json): Json {
  if (!isJsonObject(proposal)) return proposal;
  const steps = proposal['steps'];
  const first = Array.isArray(steps) ? steps[0] : undefined;
  if (first === undefined || !isJsonObject(first)) return proposal;
  const step = withInputs(env, state, withoutCompleted(state, first));
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

/** Removes completed dependencies. Unknown ids stay, so that verification rejects them. */
function withoutCompleted(state: RunState, step: JsonObject): JsonObject {
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
  const declaredInputs = step['inputs'] ?? [];
  if (spec === undefined || spec.needs.length === 0 || !Array.isArray(declaredInputs)) return step;
  const filled = filledKeys(env, state);
  const named = new Set(declaredInputs.filter(isInput).flatMap((input) => keysOf(input).map(({ key }) => key)));
  const covered = filled.filter(({ key }) => named.has(key)).flatMap(({ types }) => types);
  const added = resolveInputs(spec.needs, filled).filter((input) => isOpen(input, covered));
  return added.length === 0 ? step : { ...step, inputs: [...declaredInputs, ...(added as readonly JsonObject[])] };
}

/** Whether the step names no key of this type itself. */
const isOpen = (input: PlanInput, covered: readonly string[]): boolean =>
  keysOf(input).every(({ type }) => type === null || !covered.includes(type));

const isInput = (input: Json): input is string | Readonly<Record<string, string>> =>
  typeof input === 'string' || (isJsonObject(input) && Object.values(input).every((key) => typeof key === 'string'));

/** The context keys in the order in which they were last filled. */
function filledKeys(env: KernelEnv, state: RunState): readonly FilledKey[] {
  const { fillers } = carryOver(state);
  return doneSteps(state).flatMap(({ step: { id, context_key: key, tool } }): readonly FilledKey[] =>
    key === undefined || assocGet(fillers, key) !== id ? [] : [{ key, types: env.tools.get(tool)?.produces ?? [] }],
  );
}

/** A filled context key and the evidence types it holds. */
export interface FilledKey {
  readonly key: string;
  readonly types: readonly string[];
}

/**
 * Binds each type that a tool needs to the key that was filled last. A type without a key adds no input; the arguments
 * show whether the step needs it.
 */
export function resolveInputs(needs: readonly ToolNeed[], filled: readonly FilledKey[]): readonly PlanInput[] {
  const types = new Set(needs.map(needOf));
  return [...types].flatMap((type): readonly PlanInput[] => {
    const latest = filled.findLast(({ types: held }) => held.includes(type));
    return latest === undefined ? [] : [{ [type]: latest.key }];
  });
}
