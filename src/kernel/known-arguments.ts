import { looksLikeDraft } from '../model/draft.ts';
import { isJsonList, isJsonObject, type Json, type JsonObject } from '../model/json.ts';
import { looksLikeBinding, type PlanStep } from '../model/plan.ts';
import { committedFact } from './committed-fact.ts';
import { draftSource } from './draft/draft-source.ts';
import type { KernelEnv } from './env.ts';
import { inputsOfOthers, strangerAt } from './inputs-of-others.ts';
import { type Leaf, leavesOf } from './leaves.ts';
import type { RunState } from './state.ts';
import { holdsHole } from './verify/argument-shape.ts';

/** A step's arguments while its plan is verified: before it is its turn. */
export interface KnownArguments {
  /** What is known of them; whatever an earlier step is to supply, or is still to be written, is left out, or null in a list. */
  readonly args: JsonObject;
  /** JSON Pointers of what is left out. */
  readonly pending: readonly string[];
  /** JSON Pointers of what an outsider may have written, as far as one can tell by now. */
  readonly untrusted: readonly string[];
}

export function knownArguments(env: KernelEnv, state: RunState, { id, tool, params = {} }: PlanStep): KnownArguments {
  if (!mayHoldForeign(state) && !holdsHole(params)) {
    return { args: env.tools.complete(tool, params), pending: NONE, untrusted: NONE };
  }
  const pending: string[] = [];
  const untrusted: string[] = [];
  for (const [pointer, leaf] of leavesOf(params, params)) {
    if (isForeign(state, id, pointer, leaf)) untrusted.push(pointer);
    if (leaf.kind === 'bound' || leaf.kind === 'drafted') pending.push(pointer);
  }
  if (pending.length === 0) return { args: env.tools.complete(tool, params), pending, untrusted };
  const args = literalPart(params);
  return { args: args !== undefined && isJsonObject(args) ? args : {}, pending, untrusted };
}

const NONE: readonly string[] = Object.freeze([]);

/** Whether somebody else may speak in what stands in the plan itself. */
function mayHoldForeign(state: RunState): boolean {
  const { tainted, author } = state.planning;
  return tainted || (author === 'host' && inputsOfOthers(state).length > 0);
}

function isForeign(state: RunState, stepId: string, pointer: string, leaf: Leaf): boolean {
  const { planning } = state;
  if (leaf.kind === 'drafted') return draftSource(state, planning, stepId, pointer, leaf.draft) !== null;
  const foreign = leaf.kind === 'bound' && committedFact(state, leaf.from)?.trusted === false;
  return foreign || strangerAt(state, planning, stepId, pointer, leaf) !== null;
}

function literalPart(value: Json): Json | undefined {
  if (typeof value !== 'object' || value === null) return value;
  const open: boolean = looksLikeBinding(value) || looksLikeDraft(value);
  if (open) return undefined;
  if (isJsonList(value)) return value.map((item) => literalPart(item) ?? null);
  const fields = Object.entries(value).map(([key, child]) => [key, literalPart(child)] as const);
  return Object.fromEntries(fields.filter((field): field is [string, Json] => field[1] !== undefined));
}
