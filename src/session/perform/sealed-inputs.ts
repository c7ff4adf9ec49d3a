import { assocValues, type RunState, vecToArray } from '../../kernel/index.ts';
import type { EventBody } from '../../model/events/event.ts';
import { Fault } from '../../model/fault/fault.ts';
import { deepFreeze } from '../../model/json/freeze.ts';
import type { Hash } from '../../model/json/hash.ts';
import type { Json, JsonObject } from '../../model/json/json.ts';
import { sameJson } from '../../model/json/json-at.ts';
import { handlesIn, sealedHandle } from '../../model/json/sealed.ts';
import { redactor } from '../../model/text/redact/redact.ts';
import type { ToolSpec } from '../../model/tool/tool.ts';
import { type KnownValues, openValues, sealValues, type Vault } from '../../ports/store/vault.ts';

/** Replaces secret and personal values in what people give to a run, before it is stored. */
export interface InputSealing {
  goal(goal: GoalReceived): Promise<GoalReceived>;
  /** The same goal with handles that no vault knows, for a run that is never recorded. */
  unrecordedGoal(goal: GoalReceived): Promise<GoalReceived>;
  /** An event that a person sends to this run. */
  input(state: RunState, input: EventBody): Promise<EventBody>;
}

type GoalReceived = Extract<EventBody, { type: 'goal_received' }>;

export interface InputSealingDeps {
  readonly vault: Vault | undefined;
  readonly agent: { readonly name: string; readonly sealed_inputs?: readonly string[] };
  readonly toolOf: (name: string) => Pick<ToolSpec, 'privacy'> | undefined;
  readonly hash: Hash;
}

export function inputSealing({ vault, agent, toolOf, hash }: InputSealingDeps): InputSealing {
  const { sealed_inputs = [] } = agent;
  if (vault === undefined) {
    const refuse = <T>(value: T): T => {
      if (sealed_inputs.length === 0) return value;
      throw new Fault('input_missing', `${agent.name} declares sealed inputs, but there is no vault: set world.vault`);
    };
    return {
      goal: async (goal) => refuse(goal),
      unrecordedGoal: async (goal) => refuse(goal),
      input: async (_, input) => (input.type === 'question_answered' ? refuse(input) : input),
    };
  }
  const opens = (tools: readonly string[]): readonly string[] =>
    tools.flatMap((tool) => toolOf(tool)?.privacy?.opens ?? []);
  return {
    goal: (received) => sealGoal({ vault, sealed_inputs, opens }, received),
    unrecordedGoal: (received) => sealGoal({ vault: storesNothing(hash), sealed_inputs, opens }, received),
    input: async (state, input) => {
      const known = await openValues(vault, state.id.tenantId, handlesOf(state)).catch(unlessItStops(input));
      if (known === null) return withoutWords(input);
      assertNobodySealed(state, input, known);
      const sealed = await sealInput({ vault, sealed_inputs, opens }, state, input, known);
      assertUnsigned(input, sealed);
      return sealed;
    },
  };
}

const storesNothing = (hash: Hash): Pick<Vault, 'seal'> => ({
  seal: async (tenant, text) => sealedHandle(hash(`${tenant}\n${text}`)),
});

interface SealInputDeps {
  readonly vault: Vault;
  readonly sealed_inputs: readonly string[];
  readonly opens: (tools: readonly string[]) => readonly string[];
}

async function sealGoal(
  { vault, sealed_inputs, opens }: Omit<SealInputDeps, 'vault'> & { readonly vault: Pick<Vault, 'seal'> },
  received: GoalReceived,
): Promise<GoalReceived> {
  const { goal, tenant_id } = received;
  const { document: inputs, known } = await sealValues(vault, tenant_id, received.inputs, sealed_inputs);
  const { call } = goal;
  const args = call === undefined ? null : await sealValues(vault, tenant_id, call.args, opens([call.tool]), known);
  const statement = redactor(args?.known ?? known).text(goal.statement);
  const sealedCall = call === undefined || args === null ? {} : { call: { ...call, args: args.document } };
  return deepFreeze({ ...received, inputs, goal: { ...goal, statement, ...sealedCall } });
}

async function sealInput(
  { vault, sealed_inputs, opens }: SealInputDeps,
  { id: { tenantId }, people }: RunState,
  input: EventBody,
  known: KnownValues,
): Promise<EventBody> {
  if (input.type === 'question_answered') {
    const { document: answers } = await sealValues(vault, tenantId, input.answers, sealed_inputs, known);
    return { ...input, answers };
  }
  if (input.type !== 'gate_decided' || input.parameters === undefined) return withoutKnown(input, known);
  const { tools = [] } = people.gates.find(({ gateId }) => gateId === input.gate_id) ?? {};
  const sealed = await sealValues(vault, tenantId, input.parameters, opens(tools), known);
  return withoutKnown({ ...input, parameters: sealed.document }, sealed.known);
}

/** A run must stop even if the vault cannot be asked. Rethrows the error for any other event. */
const unlessItStops =
  ({ type }: EventBody) =>
  (error: unknown): null => {
    if (type === 'run_cancelled' || type === 'run_paused') return null;
    throw error;
  };

/** The event without the reason of a person, which may repeat a value that the vault cannot tell now. */
function withoutWords(input: EventBody): EventBody {
  const isSigned = 'proof' in input && input.proof?.signature !== undefined;
  return isSigned || !('reason' in input) ? input : ({ ...input, reason: WITHHELD } as EventBody);
}

const WITHHELD = 'withheld: the vault is not available';

/** The fields of events in which people write freely. */
const FREE_FIELDS = ['reason', 'note', 'text', 'message', 'payload', 'happened'] as const;

/** Replaces known values in the texts of an event. */
function withoutKnown(input: EventBody, known: KnownValues): EventBody {
  if (known.size === 0) return input;
  const { json } = redactor(known);
  const fields = input as unknown as JsonObject;
  const replaced = FREE_FIELDS.flatMap((name): (readonly [string, Json])[] => {
    const value = fields[name];
    return value === undefined ? [] : [[name, json(value)]];
  });
  return { ...input, ...Object.fromEntries(replaced) };
}

/** A signature covers the words of a person, so nothing may replace a part of them. */
function assertUnsigned(input: EventBody, sealed: EventBody): void {
  if (!('proof' in input) || input.proof?.signature === undefined) return;
  if (sameJson(input as unknown as Json, sealed as unknown as Json)) return;
  const message =
    'a signed decision holds a personal value in plain text: sign it with the handle that runtime.vault.seal(gateId, value) returns';
  throw new Fault('input_invalid', message);
}

/** Who is asked is compared with who answers, so that a handle cannot stand there. The requester is on record anyway. */
function assertNobodySealed({ intake }: RunState, input: EventBody, known: KnownValues): void {
  if (input.type !== 'gate_decided' || input.asks === undefined || input.asks === intake.identity?.actor) return;
  if (redactor(known).text(input.asks) === input.asks) return;
  const message = 'the person who is asked is named by a personal value of this run: name them otherwise';
  throw new Fault('input_invalid', message, { path: '/asks' });
}

/** The handles in the goal, the answers and the committed facts of a run. */
export function handlesOf({ intake, work }: RunState): readonly string[] {
  const { goal, answers } = intake;
  const facts = vecToArray(work.progress).map(({ fact }) => fact?.value ?? null);
  const carried = [...assocValues(work.carried.steps)].map(({ fact }) => fact.value);
  return handlesIn([goal, answers, facts, carried]);
}
