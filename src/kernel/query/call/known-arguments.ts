import { isJsonList, isJsonObject, type Json, type JsonObject } from '../../../model/json/json.ts';
import {
  hasPlaceholder,
  looksLikeBinding,
  looksLikeDraft,
  type Plan,
  type PlanStep,
} from '../../../model/plan/plan.ts';
import type { KernelEnv } from '../../env.ts';
import { assocGet } from '../../state/assoc.ts';
import type { ActivePlan, Fact, RunState } from '../../state/run-state.ts';
import { vecGet } from '../../state/vec.ts';
import { committedFact } from '../evidence/committed.ts';
import { draftSource, untrustedInputs, untrustedSourceAt } from '../provenance/inputs.ts';
import { type ArgumentLeaf, argumentLeaves } from '../provenance/leaves.ts';

/** The arguments of a step as far as they are known when its plan is verified. */
interface KnownArguments {
  /** The known values. Values from earlier steps and from drafts are left out, or null in a list. */
  readonly args: JsonObject;
  /** JSON Pointers of the values left out. */
  readonly pending: readonly string[];
  /** JSON Pointers of values that an untrusted source may have written, as far as is known now. */
  readonly untrusted: readonly string[];
}

export function knownArguments(env: KernelEnv, state: RunState, { id, tool, params = {} }: PlanStep): KnownArguments {
  if (!mayHoldUntrusted(state) && !hasPlaceholder(params)) {
    return { args: env.tools.complete(tool, params), pending: NONE, untrusted: NONE };
  }
  const pending: string[] = [];
  const untrusted: string[] = [];
  for (const [pointer, leaf] of argumentLeaves(params, params)) {
    if (isUntrustedLeaf(state, id, pointer, leaf)) untrusted.push(pointer);
    if (leaf.kind === 'bound' || leaf.kind === 'drafted') pending.push(pointer);
  }
  if (pending.length === 0) return { args: env.tools.complete(tool, params), pending, untrusted };
  const args = literalPart(params);
  return { args: args !== undefined && isJsonObject(args) ? args : {}, pending, untrusted };
}

const NONE: readonly string[] = Object.freeze([]);

/** Whether literal values of the plan itself may come from an untrusted source. */
function mayHoldUntrusted(state: RunState): boolean {
  const { tainted, author } = state.planning;
  return tainted || (author === 'host' && untrustedInputs(state).length > 0);
}

function isUntrustedLeaf(state: RunState, stepId: string, pointer: string, leaf: ArgumentLeaf): boolean {
  const { planning } = state;
  if (leaf.kind === 'drafted') return draftSource(state, planning, stepId, pointer, leaf.draft) !== null;
  const isUntrusted = leaf.kind === 'bound' && committedFact(state, leaf.from)?.trusted === false;
  return isUntrusted || untrustedSourceAt(state, planning, stepId, pointer, leaf) !== null;
}

function literalPart(value: Json): Json | undefined {
  if (typeof value !== 'object' || value === null) return value;
  const open: boolean = looksLikeBinding(value) || looksLikeDraft(value);
  if (open) return undefined;
  if (isJsonList(value)) return value.map((item) => literalPart(item) ?? null);
  const fields = Object.entries(value).map(([key, child]) => [key, literalPart(child)] as const);
  return Object.fromEntries(fields.filter((field): field is [string, Json] => field[1] !== undefined));
}

interface CommittedFact {
  readonly tool: string;
  readonly fact: Fact;
}

/** The step of this plan or of an earlier one that committed this evidence. Null if no step holds it any longer. */
export function committedUnder({ planning, work }: RunState, evidenceId: string): CommittedFact | null {
  const origin = assocGet(work.carried.origins, evidenceId);
  const carried = origin === undefined ? undefined : assocGet(work.carried.steps, origin);
  if (carried?.fact.evidenceId === evidenceId) return { tool: carried.step.tool, fact: carried.fact };
  return planning.active === null ? null : findInPlan(planning.active, work, evidenceId);
}

/** Checks the last completed step first: callers nearly always look for the newest evidence. */
function findInPlan(active: ActivePlan, work: RunState['work'], evidenceId: string): CommittedFact | null {
  const newest = active.index.order[work.cursor - 1];
  return (
    (newest === undefined ? null : factAt(active, work, newest, evidenceId)) ?? findByHint(active, work, evidenceId)
  );
}

/** The fact that the step at this index committed under this id, or null. */
function factAt(
  { plan }: ActivePlan,
  { progress }: RunState['work'],
  index: number,
  evidenceId: string,
): CommittedFact | null {
  const step = plan.steps[index];
  const done = vecGet(progress, index);
  if (step === undefined || done?.fact?.evidenceId !== evidenceId || done.status !== 'committed') return null;
  return { tool: step.tool, fact: done.fact };
}

/** The index where evidence was last found in a plan: a hint that saves a search and that each lookup checks. */
const HINTS = new WeakMap<Plan, Map<string, number>>();

function findByHint(active: ActivePlan, work: RunState['work'], evidenceId: string): CommittedFact | null {
  const hints = HINTS.get(active.plan) ?? new Map<string, number>();
  const hint = hints.get(evidenceId);
  const hinted = hint === undefined ? null : factAt(active, work, hint, evidenceId);
  if (hinted !== null) return hinted;
  const index = findIndexOf(active, work, evidenceId);
  if (index === undefined) return null;
  HINTS.set(active.plan, hints.set(evidenceId, index));
  return factAt(active, work, index, evidenceId);
}

/** Searches completed steps first, newest first, then the others. */
function findIndexOf(active: ActivePlan, work: RunState['work'], evidenceId: string): number | undefined {
  const { order } = active.index;
  const hasFact = (index: number): boolean => factAt(active, work, index, evidenceId) !== null;
  const done = order.findLast((index, place) => place < work.cursor && hasFact(index));
  return done ?? order.find((index, place) => place >= work.cursor && hasFact(index));
}
