import { type FilledSlots, SOURCE_INPUT, SOURCE_MODEL } from '../../../model/evidence/origin.ts';
import { isJsonList, type JsonObject, own } from '../../../model/json/json.ts';
import { fitsTrustedInput, type TrustedInputs } from '../../../model/policy/trusted-inputs.ts';
import type { IntakeState, Planning, RunState } from '../../state/run-state.ts';
import { committedFact } from '../evidence/committed.ts';
import { type ArgumentLeaf, argumentLeaves } from './leaves.ts';

/**
 * The untrusted inputs: those that the boundary does not trust, and answers of other people. An answer of
 * the requester to a question is their own statement.
 */
export function untrustedInputs({
  manifest,
  intake,
  laneContext,
}: Pick<RunState, 'manifest' | 'intake' | 'laneContext'>): readonly string[] {
  // An exposed lane treats all its inputs as untrusted.
  if (laneContext?.exposed === true) return Object.keys(intake.answers);
  const { untrusted_inputs: documents = NONE, trusted_inputs: trusted } =
    manifest?.autonomy_boundary.observations ?? {};
  // The inputs of a lane are the arguments of its parent's call. A run recorded without the field trusts its inputs.
  if (laneContext === undefined && trusted !== undefined) return unvouchedInputs(intake, trusted);
  if (documents.length === 0 && intake.answeredByOthers.length === 0) return NONE;
  return [...documents, ...intake.answeredByOthers].filter((input) => Object.hasOwn(intake.answers, input));
}

/** Whether the models of this run may have read untrusted text: from the record, never from a model's own statement. */
export const hasReadUntrusted = (state: RunState): boolean =>
  state.planning.exposed || untrustedInputs(state).length > 0;

function unvouchedInputs(intake: IntakeState, trusted: TrustedInputs): readonly string[] {
  const { answers, answeredByOthers, answeredByRequester = NONE } = intake;
  return Object.keys(answers).filter((input) => {
    if (answeredByOthers.includes(input)) return true;
    if (answeredByRequester.includes(input)) return false;
    const type = own(trusted, input);
    return type === undefined || !fitsTrustedInput(type, answers[input] ?? null);
  });
}

const NONE: readonly string[] = Object.freeze([]);

/** The author of a plan, and the inputs that it used. */
type PlanSource = Pick<Planning, 'author' | 'filled' | 'tainted'>;

/**
 * The untrusted source of a literal in a plan, or null. Literals of a tainted model are untrusted. Literals of a host
 * are trusted, except those it filled from an untrusted input; if the host does not report which it filled, all of them
 * may be.
 */
export function untrustedSourceAt(
  state: RunState,
  { author, filled, tainted }: PlanSource,
  stepId: string,
  pointer: string,
  leaf: ArgumentLeaf,
): string | null {
  if (leaf.kind === 'default') return null;
  if (author !== 'host') return tainted && leaf.kind === 'literal' ? SOURCE_MODEL : null;
  const others = untrustedInputs(state);
  if (others.length === 0) return null;
  if (filled === null) return leaf.kind === 'literal' ? SOURCE_INPUT : null;
  const slot = slotAt(filled, stepId, pointer);
  return slot !== null && others.includes(slot) ? SOURCE_INPUT : null;
}

/** The input that a host placed at or above this pointer of a step's params, or null. */
export function slotAt(filled: FilledSlots, stepId: string, pointer: string): string | null {
  const slots = Object.entries(own(filled, stepId) ?? {});
  return slots.find(([place]) => pointer === place || pointer.startsWith(`${place}/`))?.[1] ?? null;
}

/**
 * The untrusted source of a draft, or null. A drafter reads only the values that the draft names, so the draft is as
 * trusted as the least trusted of them.
 */
export function draftSource(
  state: RunState,
  plan: PlanSource,
  stepId: string,
  pointer: string,
  draft: JsonObject,
): string | null {
  const using = isJsonList(draft['using']) ? { using: draft['using'] } : {};
  const leaves: readonly (readonly [string, ArgumentLeaf])[] = [
    ['/$draft', { kind: 'literal', name: '$draft', value: draft['$draft'] ?? null }],
    ...argumentLeaves(using, using),
  ];
  for (const [suffix, leaf] of leaves) {
    const untrustedSource = untrustedSourceAt(state, plan, stepId, pointer + suffix, leaf);
    if (untrustedSource !== null) return untrustedSource;
    if (leaf.kind !== 'bound') continue;
    const fact = committedFact(state, leaf.from);
    if (fact?.trusted === false) return fact.source;
    // The binding is not committed yet. This happens only while a plan is verified, never when the call is made.
    if (fact === null && state.planning.active !== null && plan === state.planning.active) return SOURCE_MODEL;
  }
  return null;
}
