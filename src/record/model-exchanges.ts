import type { ModelCall } from '../model/budget/model-call.ts';
import type { EventType, RunEvent } from '../model/events/event.ts';
import { Fault } from '../model/fault/fault.ts';
import type { Address } from '../model/json/hash.ts';
import type { Journal } from '../ports/journal/journal.ts';
import type { Planner } from '../ports/model/planner.ts';

/** One model request with the exact prompt and response. */
export interface ModelExchange {
  readonly call: ModelCall;
  /** The event that the request belongs to, and its time. */
  readonly during: EventType;
  readonly at: number;
  readonly prompt: string;
  readonly response: string | null;
}

type Blobs = Pick<Journal, 'blob'>;

export async function modelExchanges(journal: Blobs, events: readonly RunEvent[]): Promise<readonly ModelExchange[]> {
  return await Promise.all(
    events.flatMap((event) =>
      callsIn(event).map(async (call) => ({
        call,
        during: event.type,
        at: event.at,
        prompt: await textAt(journal, call, 'prompt', call.prompt),
        response: call.response === null ? null : await textAt(journal, call, 'response', call.response),
      })),
    ),
  );
}

/**
 * Asserts that every plan of a planner that uses models has recorded model calls, with all texts stored. Without them
 * the origin of a plan is unknown.
 */
export async function assertLineage(
  journal: Blobs,
  events: readonly RunEvent[],
  planners: readonly Pick<Planner, 'uses'>[],
): Promise<void> {
  const asks = planners.some(({ uses = [] }) => uses.some(({ role }) => role === 'planner'));
  for (const event of asks ? events : []) {
    if (event.type !== 'plan_proposed' || event.author !== 'model' || callsIn(event).length > 0) continue;
    throw new Fault('replay_input_missing', 'the lineage of the model calls behind a plan is not recorded');
  }
  await modelExchanges(journal, events);
}

/** The model requests that an event records. */
export const callsIn = (event: RunEvent): readonly ModelCall[] => ('calls' in event ? (event.calls ?? []) : []);

async function textAt(
  journal: Blobs,
  { role, profile, attempt }: ModelCall,
  what: string,
  address: Address,
): Promise<string> {
  try {
    return await journal.blob(address);
  } catch (error) {
    if (!Fault.is(error) || error.code !== 'blob_missing') throw error;
    const message = `the ${what} ${address} of request ${attempt} to ${profile}, as ${role}, is not recorded`;
    throw new Fault('replay_input_missing', message, { cause: error });
  }
}
