import type { LooseItem } from '../../model/compression.ts';
import type { Json } from '../../model/json.ts';
import type { ReactMessage } from '../../model/react-message.ts';
import { doneSteps } from '../done-steps.ts';
import type { RunState } from '../state.ts';
import { vecToArray } from '../vec.ts';

interface Loose extends LooseItem {
  readonly text: string;
}

/** Where the trace keeps one message of the history: its place in it. */
const historyPointer = (place: number): string => `history:${place}`;

/**
 * What of the history of a run that decides step by step may go: a decision whose step is done, and what was observed of
 * it, which a verified observation says as well. What failed stays, and so does the newest step: the next decision is made by it.
 */
export function historyItems(state: RunState): readonly Loose[] {
  if (state.react.messages.size === 0) return [];
  const evidence = new Map(doneSteps(state).map(({ step, fact }) => [step.id, fact.evidenceId]));
  const messages = vecToArray(state.react.messages);
  const newest = messages.findLast((message) => message.kind === 'observation')?.step_id;
  return messages.flatMap((message, place): readonly Loose[] => {
    const stepId = stepOf(message);
    const summarized_by = evidence.get(stepId);
    if (summarized_by === undefined || stepId === newest || isFailure(message)) return [];
    const item = { pointer: historyPointer(place), text: JSON.stringify(message as unknown as Json) };
    return message.kind === 'decision'
      ? [{ class: 'raw_deliberation', ...item }]
      : [{ class: 'redundant_output', summarized_by, ...item }];
  });
}

const stepOf = (message: ReactMessage): string => (message.kind === 'decision' ? message.step.id : message.step_id);

const isFailure = (message: ReactMessage): boolean => message.kind === 'observation' && message.outcome !== 'ok';

/** The history without what a compression has left out. */
export function shownHistory({ react, planning }: RunState): readonly ReactMessage[] {
  const messages = vecToArray(react.messages);
  const { demoted = [] } = planning.compressed ?? {};
  if (demoted.length === 0) return messages;
  const gone = new Set(demoted);
  return messages.filter((_, place) => !gone.has(historyPointer(place)));
}
