import { type FilledSlots, SOURCE_INPUT, SOURCE_MODEL } from '../model/origin.ts';
import { own } from '../model/own.ts';
import type { Leaf } from './leaves.ts';
import type { Planning, RunState } from './state.ts';

/** Inputs of this run in which somebody else speaks than whoever made the request: documents, and others' answers. */
export function inputsOfOthers({
  manifest,
  intake,
  seat,
}: Pick<RunState, 'manifest' | 'intake' | 'seat'>): readonly string[] {
  // What a lane is given as a whole is worth what the least of it is.
  if (seat?.exposed === true) return Object.keys(intake.answers);
  const documents = manifest?.autonomy_boundary.observations.untrusted_inputs ?? NONE;
  if (documents.length === 0 && intake.answeredByOthers.length === 0) return NONE;
  return [...documents, ...intake.answeredByOthers].filter((input) => Object.hasOwn(intake.answers, input));
}

const NONE: readonly string[] = Object.freeze([]);

/** Who wrote a plan, and what of it they took from the inputs. */
export type Written = Pick<Planning, 'author' | 'filled' | 'tainted'>;

/**
 * The untrusted source of a value that stands in a plan itself, or null. What a tainted model wrote is as untrusted as
 * what tainted it. A host's own words are trusted, and what it took from an input is worth what the input is; a host that
 * does not say which values it took may have taken any of them.
 */
export function strangerAt(
  state: RunState,
  { author, filled, tainted }: Written,
  stepId: string,
  pointer: string,
  leaf: Leaf,
): string | null {
  if (leaf.kind === 'default') return null;
  if (author !== 'host') return tainted && leaf.kind === 'literal' ? SOURCE_MODEL : null;
  const others = inputsOfOthers(state);
  if (others.length === 0) return null;
  if (filled === null) return leaf.kind === 'literal' ? SOURCE_INPUT : null;
  const slot = slotAt(filled, stepId, pointer);
  return slot !== null && others.includes(slot) ? SOURCE_INPUT : null;
}

/** The input that a host put at or around a place in the params of a step, or null. */
export function slotAt(filled: FilledSlots, stepId: string, pointer: string): string | null {
  const slots = Object.entries(own(filled, stepId) ?? {});
  return slots.find(([place]) => pointer === place || pointer.startsWith(`${place}/`))?.[1] ?? null;
}
