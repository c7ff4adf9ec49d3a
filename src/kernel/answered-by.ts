import type { EventOf } from '../model/event.ts';
import { Fault } from '../model/fault.ts';
import type { JsonObject } from '../model/json.ts';
import { pointerToken } from '../model/pointer.ts';
import { printable } from '../model/printable.ts';
import type { OpenQuestion } from './people-state.ts';
import type { IntakeState, RunState } from './state.ts';

/** An answer says what it was asked for. Anything more would be a second request that nobody received. */
export function assertAsked({ fields }: OpenQuestion, answers: JsonObject): void {
  const unasked = Object.keys(answers).find((field) => !fields.includes(field));
  if (unasked === undefined) return;
  throw new Fault('input_invalid', `nobody asked for ${printable(unasked)}`, { path: pointerToken(unasked) });
}

/** What the requester answers is part of the request. What anybody else answers is theirs, and nothing vouches for it. */
export function heardFrom(
  { intake }: RunState,
  question: OpenQuestion,
  event: EventOf<'question_answered'>,
): IntakeState {
  const answers = { ...intake.answers, ...event.answers };
  // One of the readings that were offered says nothing of its own.
  if (question.code === 'AMBIGUOUS_INTENT') return { ...intake, answers };
  const fields = Object.keys(event.answers);
  const before = intake.answeredByOthers.filter((field) => !fields.includes(field));
  const isRequester = event.by === intake.identity?.actor;
  return { ...intake, answers, answeredByOthers: isRequester ? before : [...before, ...fields] };
}
