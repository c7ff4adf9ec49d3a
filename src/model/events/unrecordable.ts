import type { EventBody } from './event.ts';

type ObservedEvent = Extract<EventBody, { type: 'step_observed' }>;

/** The observation of a call whose answer cannot be recorded. The call may have had its effect. */
export function unrecordable(event: ObservedEvent, why: string): ObservedEvent {
  const { call_id, spent, calls } = event;
  const detail = `the answer cannot be recorded: ${why}`;
  const failed = { type: 'step_observed', call_id, outcome: 'malformed', raw: null, detail, spent } as const;
  return calls === undefined ? failed : { ...failed, calls };
}
