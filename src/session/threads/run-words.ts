import { hasReadUntrusted, type RunState } from '../../kernel/index.ts';
import type { EventOf } from '../../model/events/event.ts';
import type { Frame } from '../../model/events/frame.ts';
import { frameEvents } from '../../model/events/frame-events.ts';
import type { ThreadPart } from '../../model/run/thread.ts';

/** A message of a run. `said` holds the requester's own words in it. */
interface Words {
  readonly part: ThreadPart;
  readonly said?: string;
}

/** The message of the requester, and the questions of the run with their fields and the answers that people gave. */
export function wordsOf(state: RunState, frames: readonly Frame[]): readonly Words[] {
  const { goal } = state.intake;
  const part = partsOf(state);
  const words: Words[] = [];
  if (goal !== null && goal.statement !== '')
    words.push({ part: part('requester', goal.statement, true), said: goal.statement });
  let isExposed = false;
  for (const event of frames.flatMap(frameEvents)) {
    // Before that no model has planned, so that the runtime asks with its own words.
    if (event.type === 'run_initialized') isExposed = hasReadUntrusted(state);
    if (event.type === 'question_asked') words.push({ part: part('agent', questionText(event), !isExposed) });
    if (event.type === 'question_answered') words.push(...answersIn(state, event, isExposed));
  }
  return words;
}

const partsOf =
  ({ id, session }: RunState) =>
  (by: ThreadPart['by'], text: string, trusted: boolean): ThreadPart => ({
    ...{ run_id: id.runId, at: session.startedAt, by, text, trusted },
    sources: [],
  });

/** The answers with the fields that they fill. An exposed model may have chosen a field by the words of an outsider. */
function answersIn(state: RunState, { answers }: EventOf<'question_answered'>, isExposed: boolean): readonly Words[] {
  const { answeredByOthers, answeredByRequester = [] } = state.intake;
  const part = partsOf(state);
  return Object.entries(answers).flatMap(([field, answer]): readonly Words[] => {
    if (typeof answer !== 'string' && typeof answer !== 'number') return [];
    const stated = String(answer);
    const text = isExposed ? stated : `${field}: ${stated}`;
    if (answeredByOthers.includes(field)) return [{ part: part('other', text, false) }];
    return answeredByRequester.includes(field) ? [{ part: part('requester', text, true), said: stated }] : [];
  });
}

/** The words of a question, or the readings to choose from, with the fields that the answer fills. */
function questionText({ fields, readings }: EventOf<'question_asked'>): string {
  const named = fields.join(', ');
  return readings.length === 0 ? `Please state: ${named}.` : `${readings.join(', ')} (${named})`;
}
