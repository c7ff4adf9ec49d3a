import type { EventType, RunEvent } from '../model/event.ts';
import { Fault } from '../model/fault.ts';
import type { Address } from '../model/hash.ts';
import type { ModelCall } from '../model/model-call.ts';
import type { Journal } from '../ports/journal.ts';
import type { Planner } from '../ports/planner.ts';

/** One request to a model with the very words that were sent and came back. */
export interface ModelExchange {
  readonly call: ModelCall;
  /** What it was part of, and when that was on record. */
  readonly during: EventType;
  readonly at: number;
  readonly prompt: string;
  /** Null where nothing came back. */
  readonly response: string | null;
}

type Blobs = Pick<Journal, 'blob'>;

/** Everything models were asked in a run, in order. */
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
 * Holds a run to its record of models: a planner that asks them leaves a lineage with every plan, and every word of it is
 * there. Without it nobody can tell where a plan came from.
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

const callsIn = (event: RunEvent): readonly ModelCall[] => ('calls' in event ? (event.calls ?? []) : []);

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
