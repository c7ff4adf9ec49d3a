import { z } from 'zod';
import type { AgentSpec } from './agent.ts';
import { Identity } from './identity.ts';
import type { JsonObject } from './json.ts';
import { JsonRecord } from './json-schema.ts';
import { Name, Statement } from './name.ts';
import { parse } from './parse.ts';
import { GoalRequest, RunMode, type RunRequest, RuntimeRequest } from './run-request.ts';

/** A request in the fewest words: what is to be done, and for whom. */
export interface Ask {
  readonly goal: string | GoalRequest;
  readonly identity: Identity;
  /** Which of the agent's intents it is. Left out, an agent of one intent takes that one, and others ask. */
  readonly intent?: string;
  readonly inputs?: JsonObject;
  /** `standard`, unless it is said. */
  readonly mode?: RunMode;
  readonly runtime?: RuntimeRequest;
}
const Ask: z.ZodType<Ask> = z.strictObject({
  goal: z.union([Statement, GoalRequest]),
  identity: Identity,
  intent: Name.exactOptional(),
  inputs: JsonRecord.exactOptional(),
  mode: RunMode.exactOptional(),
  runtime: RuntimeRequest.exactOptional(),
});

/** Stands for an intent that nobody has named: no agent declares it, and so it is found out at intake. */
const UNNAMED_INTENT = 'unclassified';

/** The envelope that these words stand for. */
export function envelopeOf({ name, intents }: Pick<AgentSpec, 'name' | 'intents'>, words: unknown): RunRequest {
  const { goal, identity, intent, mode = 'standard', ...rest } = parse(Ask, words, 'envelope_invalid');
  const only = intents.length === 1 ? intents[0]?.intent : undefined;
  return {
    ...rest,
    mode,
    tenant_id: identity.tenant_id,
    agent: name,
    intent: intent ?? only ?? UNNAMED_INTENT,
    goal: typeof goal === 'string' ? { statement: goal } : goal,
    identity,
  };
}
