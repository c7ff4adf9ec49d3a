import { isJsonList, isJsonObject, type Json, type JsonObject } from '../../../model/json/json.ts';
import { hasPlaceholder, looksLikeBinding, looksLikeDraft, type PlanStep } from '../../../model/plan/plan.ts';
import type { KernelEnv } from '../../env.ts';
import type { RunState } from '../../state/run-state.ts';
import { committedFact } from '../evidence/committed.ts';
import { draftSource, untrustedInputs, untrustedSourceAt } from '../provenance/inputs.ts';
import { type ArgumentLeaf, argumentLeaves } from '../provenance/leaves.ts';
import { completeArguments } from './complete-arguments.ts';

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
    return { args: completeArguments(env, state, tool, params), pending: NONE, untrusted: NONE };
  }
  const pending: string[] = [];
  const untrusted: string[] = [];
  for (const [pointer, leaf] of argumentLeaves(params, params)) {
    if (isUntrustedLeaf(state, id, pointer, leaf)) untrusted.push(pointer);
    if (leaf.kind === 'bound' || leaf.kind === 'drafted') pending.push(pointer);
  }
  if (pending.length === 0) return { args: completeArguments(env, state, tool, params), pending, untrusted };
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
