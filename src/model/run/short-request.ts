import { z } from 'zod';
import { exactObject } from '../json/exact.ts';
import type { JsonObject } from '../json/json.ts';
import { JsonRecord } from '../json/json-value.ts';
import { Name, Statement } from '../json/name.ts';
import { parse } from '../json/parse.ts';
import type { AgentSpec } from './agent.ts';
import { Identity } from './identity.ts';
import { GoalRequest, RunMode, type RunRequest, RuntimeRequest } from './run-request.ts';

/** The short form of a run request: a goal and an identity. */
export interface ShortRequest {
  readonly goal: string | GoalRequest;
  readonly identity: Identity;
  /** If absent, an agent with one intent uses that one, and other agents classify the request. */
  readonly intent?: string;
  readonly inputs?: JsonObject;
  /** Defaults to `standard`. */
  readonly mode?: RunMode;
  readonly runtime?: RuntimeRequest;
}
const ShortRequest: z.ZodType<ShortRequest> = exactObject({
  goal: z.union([Statement, GoalRequest]),
  identity: Identity,
  intent: Name.exactOptional(),
  inputs: JsonRecord.exactOptional(),
  mode: RunMode.exactOptional(),
  runtime: RuntimeRequest.exactOptional(),
});

/** The placeholder for a missing intent. No agent declares it, so intake classifies the request. */
const UNNAMED_INTENT = 'unclassified';

/** Expands the short form to a full run request. */
export function expandRequest({ name, intents }: Pick<AgentSpec, 'name' | 'intents'>, input: unknown): RunRequest {
  const { goal, identity, intent, mode = 'standard', ...rest } = parse(ShortRequest, input, 'envelope_invalid');
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
