import type { DroppableItem } from '../../../model/evidence/compression.ts';
import type { Json } from '../../../model/json/json.ts';
import type { ReactMessage } from '../../../model/plan/react-message.ts';
import type { RunState } from '../../state/run-state.ts';
import { vecToArray } from '../../state/vec.ts';
import { doneSteps } from '../plan/steps.ts';

interface LooseText extends DroppableItem {
  readonly text: string;
}

/** The trace pointer of a history message: its index. */
const historyPointer = (place: number): string => `history:${place}`;

/**
 * The messages of a reactive run that may be dropped: decisions whose step is done, and observations that verified
 * evidence repeats. Failures and the newest step stay, because the next decision depends on them.
 */
export function historyItems(state: RunState): readonly LooseText[] {
  if (state.react.messages.size === 0) return [];
  const evidence = new Map(doneSteps(state).map(({ step, fact }) => [step.id, fact.evidenceId]));
  const messages = vecToArray(state.react.messages);
  const newest = messages.findLast((message) => message.kind === 'observation')?.step_id;
  return messages.flatMap((message, place): readonly LooseText[] => {
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

/** The history without the messages that a compression dropped. */
export function shownHistory({ react, planning }: RunState): readonly ReactMessage[] {
  const messages = vecToArray(react.messages);
  const { demoted = [] } = planning.compressed ?? {};
  if (demoted.length === 0) return messages;
  const dropped = new Set(demoted);
  return messages.filter((_, place) => !dropped.has(historyPointer(place)));
}
