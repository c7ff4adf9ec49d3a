import {
  type CallOrigin,
  CLEAN,
  isGrantable,
  isUntrusted,
  type RequestGrant,
  SOURCE_DEFAULT,
  SOURCE_HOST,
  SOURCE_MODEL,
} from '../../../model/evidence/origin.ts';
import { address } from '../../../model/json/hash.ts';
import type { Json, JsonObject } from '../../../model/json/json.ts';
import { pointerToken } from '../../../model/json/pointer.ts';
import type { PlanStep } from '../../../model/plan/plan.ts';
import type { StepInput } from '../../../model/tool/step-input.ts';
import type { KernelEnv } from '../../env.ts';
import { hasRule } from '../../state/rules.ts';
import type { ActivePlan, RunState } from '../../state/run-state.ts';
import { findUndeclaredKeys } from '../../verify/fit/locate.ts';
import { effectiveMode } from '../../verify/step-rules.ts';
import { committedFact } from '../evidence/committed.ts';
import { editedArgs } from '../plan/drafts.ts';
import type { CallInputs } from '../plan/step-inputs.ts';
import { specOfCall } from '../plan/tools.ts';
import { requestStatements, slotOf } from './arguments.ts';
import { draftSource, untrustedInputs, untrustedSourceAt } from './inputs.ts';
import { type ArgumentLeaf, argumentLeaves } from './leaves.ts';
import { isSpent } from './request-grant.ts';
import { isEarlier, ordersBy, type RequestStatements, statedAt } from './stated-request.ts';

/** The values that a call carries: its arguments, the results of earlier steps, and the hash of both. */
interface CallValues extends CallInputs {
  readonly args: JsonObject;
  readonly argsHash: string;
}

const NO_INPUTS: readonly StepInput[] = Object.freeze([]);

/**
 * The origin of a step's call. `bound` means that a binding was resolved or a draft filled in. A literal call of a
 * clean plan without a possible grant, which is nearly every call, skips the search.
 */
export function callOrigin(
  env: KernelEnv,
  state: RunState,
  step: PlanStep,
  call: CallValues,
  bound: boolean,
): CallOrigin {
  const { active } = state.planning;
  const spec = env.tools.get(step.tool);
  if (active === null || spec === undefined) return CLEAN;
  const hasUntrustedInputs = active.author === 'host' && untrustedInputs(state).length > 0;
  const hasUntrusted = bound || hasUntrustedInputs || active.tainted || call.inputs !== undefined;
  const untrusted = hasUntrusted ? untrustedIn(state, active, step, call) : CLEAN.untrusted;
  // A lane's request was written by the planner of its parent, so it grants nothing.
  const canGrant =
    state.laneContext === undefined && state.manifest?.autonomy_boundary.tools.request_grants === 'stated';
  const grantable = canGrant && !active.tainted && untrusted === CLEAN.untrusted && spec.unwrap === undefined;
  const grant =
    grantable && isGrantable(effectiveMode(step, spec)) ? requestGrant(env, state, active, step, call) : null;
  if (!active.tainted && untrusted === CLEAN.untrusted && grant === null) return CLEAN;
  return { tainted: active.tainted, untrusted, grant };
}

function untrustedIn(
  state: RunState,
  active: ActivePlan,
  step: PlanStep,
  { args, inputs = NO_INPUTS }: CallValues,
): CallOrigin['untrusted'] {
  const found: Record<string, string> = {};
  // Code may use an input for anything, so an untrusted one counts as a part of every argument.
  for (const { source, trusted } of inputs) if (!trusted) found[''] = source;
  for (const [pointer, leaf] of argumentLeaves(step.params ?? {}, args)) {
    const untrustedSource =
      leaf.kind === 'drafted'
        ? draftSource(state, active, step.id, pointer, leaf.draft)
        : untrustedSourceAt(state, active, step.id, pointer, leaf);
    if (untrustedSource !== null) found[pointer] = untrustedSource;
    if (untrustedSource !== null || leaf.kind !== 'bound') continue;
    const fact = committedFact(state, leaf.from);
    if (fact === null || !fact.trusted) found[pointer] = fact?.source ?? SOURCE_MODEL;
  }
  return Object.keys(found).length === 0 ? CLEAN.untrusted : found;
}

/** The requester's grant, if every value was stated by them or comes from a trusted source. */
function requestGrant(
  env: KernelEnv,
  state: RunState,
  active: ActivePlan,
  step: PlanStep,
  { args, argsHash, inputs }: CallValues,
): RequestGrant | null {
  const { goal, identity, answers, history } = state.intake;
  // Edited arguments are no longer the requested ones.
  if (goal === null || identity === null || editedArgs(state, step.id) !== null) return null;
  if (isSpent(state, { tool: step.tool, argsHash, stepId: step.id })) return null;
  const mustOrder = hasRule(state, 'requests_order');
  // Earlier words do not ask again for a call that was put forward when they were new.
  const isRepeated = history?.cleared.includes(argsHash) === true;
  const statements = requestStatements(state, mustOrder ? 'ordering' : 'not_negated');
  if (mustOrder && !isOrdered(env, state, active, step, statements)) return null;
  const leaves: Record<string, string> = {};
  for (const [pointer, leaf] of argumentLeaves(step.params ?? {}, args)) {
    const isHostLiteral = active.author === 'host' && leaf.kind === 'literal';
    const from = isHostLiteral ? hostSource(active, step.id, pointer) : statedSource(state, statements, leaf);
    if (from === null || (isRepeated && isEarlier(from))) return null;
    leaves[pointer] = from;
  }
  if (active.author === 'model' && !areStated(statements, undeclaredKeys(env, step))) return null;
  const earlier =
    history === undefined || history.said.length === 0 ? {} : { earlier: history.said as unknown as Json };
  const request = address(env.hash, { statement: goal.statement, inputs: answers, ...earlier });
  // All inputs are trusted here, because a request grants no call with an untrusted input.
  const sources = inputs?.map(({ key, source }) => [key, source] as const);
  return {
    by: identity.actor,
    request,
    leaves,
    ...(sources === undefined ? {} : { inputs: Object.fromEntries(sources) }),
  };
}

/**
 * Whether the request orders the call. A question about a value is no order to act on it, so a sentence of this run's
 * message has to use a request word of the tool. A host's plan is the order of the application, unless a model chose
 * the plan by reading the message (ADR 0110).
 */
function isOrdered(
  { tools }: KernelEnv,
  { intake }: RunState,
  { author }: ActivePlan,
  { tool }: PlanStep,
  statements: RequestStatements,
): boolean {
  if (author === 'host' && intake.readingCost === undefined) return true;
  return ordersBy(statements, tools.get(tool)?.hazards?.request_words ?? []);
}

/** Keys that the tool does not declare carry data, such as the recipient of a share, so they must be stated too. */
const areStated = (statements: RequestStatements, keys: readonly string[]): boolean =>
  keys.every((key) => statedAt(statements, '', key) !== null);

const undeclaredKeys = ({ tools }: KernelEnv, { tool, params = {} }: PlanStep): readonly string[] =>
  findUndeclaredKeys(tools.get(tool)?.input_schema ?? {}, params);

function hostSource(active: ActivePlan, stepId: string, pointer: string): string {
  const slot = slotOf(active, stepId, pointer);
  return slot === null ? SOURCE_HOST : `inputs${pointerToken(slot)}`;
}

function statedSource(state: RunState, statements: RequestStatements, leaf: ArgumentLeaf): string | null {
  if (leaf.kind === 'default') return SOURCE_DEFAULT;
  if (leaf.kind === 'bound') return committedFact(state, leaf.from)?.source ?? null;
  return statedAt(statements, leaf.name, leaf.value);
}

/**
 * The origin of a probe's arguments. Host code builds them from the call and, for `probe_step`, its result. It does not
 * tell which part it used, so one untrusted part makes all of them untrusted.
 */
export function probeOrigin(env: KernelEnv, { current }: RunState, kind: 'probe_step' | 'reconcile_call'): CallOrigin {
  if (current === null) return CLEAN;
  const { origin, tool } = current;
  const isUntrustedResult = kind === 'probe_step' && !specOfCall(env, current).trusted;
  const [source = tool] = Object.values(origin.untrusted);
  const untrusted = isUntrustedResult || isUntrusted(origin) ? { '': source } : CLEAN.untrusted;
  return { tainted: origin.tainted, untrusted, grant: null };
}
