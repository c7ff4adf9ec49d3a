import type { RunState } from '../kernel/state.ts';
import type { EffectOf } from '../model/effect.ts';
import type { EventBody } from '../model/event.ts';
import { parseEventBody } from '../model/event-schema.ts';
import { Fault } from '../model/fault.ts';
import { reasonOf } from '../model/printable.ts';
import { NO_COST } from '../model/tool.ts';
import type { Reviewer } from '../ports/reviewer.ts';

/**
 * A reviewer that fails, is called back, or answers with something else than a reflection has found nothing: the run
 * goes on to what it would do without one.
 */
export function askForReflection(
  reviewer: Reviewer,
  { trigger, reason }: EffectOf<'reflect'>,
  recall: AbortSignal,
): Promise<EventBody> {
  const failed = (why: string): EventBody => ({ type: 'reflection_made', trigger, note: why, spent: NO_COST });
  const made = async (): Promise<EventBody> => {
    const { note, spent } = answered(await reviewer.reflect(trigger, reason, recall));
    return parseEventBody({ type: 'reflection_made', trigger, note, spent });
  };
  return unlessRecalled(made, failed, recall);
}

/** A compression that did not come back counts as one that lost everything, because nothing says what it kept. */
export function askForCompression(reviewer: Reviewer, state: RunState, recall: AbortSignal): Promise<EventBody> {
  const before = state.budget?.context_tokens ?? 0;
  // Folded up to here, the journal gives the state before the compression.
  const pointer = `${state.id.traceId}@${state.seq}`;
  const failed = (why: string): EventBody => ({ type: 'context_compressed', lost: [why], tokens: before, pointer });
  const made = async (): Promise<EventBody> => {
    const { lost, tokens } = answered(await reviewer.compress(before, recall));
    return parseEventBody({ type: 'context_compressed', lost, tokens, pointer });
  };
  return unlessRecalled(made, failed, recall);
}

/** What a reviewer says comes from a model. Its parts are held to the journal's schema by whoever asked for them. */
function answered<T>(answer: T): T {
  if (typeof answer === 'object' && answer !== null) return answer;
  throw new Fault('event_invalid', 'there was no answer');
}

/** Whoever is called back may not listen, and whoever is asked may throw. Either way there is an answer. */
function unlessRecalled(
  made: () => Promise<EventBody>,
  failed: (why: string) => EventBody,
  recall: AbortSignal,
): Promise<EventBody> {
  return new Promise((resolve) => {
    recall.addEventListener('abort', () => resolve(failed('the reviewer was called back')), { once: true });
    made().then(resolve, (error: unknown) => resolve(failed(`the reviewer failed: ${reasonOf(error)}`)));
  });
}
