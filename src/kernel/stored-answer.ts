import type { Json } from '../model/json.ts';
import { storedAt } from '../model/stored-answer.ts';
import { impossible } from './reaction.ts';
import type { RunState } from './state.ts';

/** The ruling goes with an answer that is kept elsewhere, and with no other: those are ruled on anew. */
export function assertStored(state: RunState, raw: Json): void {
  if (storedAt(raw) === null) throw impossible('a ruling on an answer that is not kept elsewhere', state);
}
