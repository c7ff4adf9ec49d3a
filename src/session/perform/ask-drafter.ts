import { checkDrafts, type Derived, type KernelEnv, type RunState, schemaAt, specOf } from '../../kernel/index.ts';
import type { EffectOf } from '../../model/events/effect.ts';
import type { EventOf } from '../../model/events/event.ts';
import { Fault } from '../../model/fault/fault.ts';
import { isJsonObject, type Json } from '../../model/json/json.ts';
import { takeJson } from '../../model/json/take-json.ts';
import { shownTool } from '../../model/tool/shown-tool.ts';
import type { CheckDrafts, Drafter, DraftRequest } from '../../ports/model/model-roles.ts';
import { answerEvent, askRole, type RolePorts, type RoleQuestion, recordedFailure } from './ask-role.ts';

export interface DrafterCall extends RolePorts {
  readonly drafter: Drafter | null;
  readonly instructions?: string;
  readonly env: KernelEnv;
}

type Written = Pick<EventOf<'arguments_drafted'>, 'drafts' | 'failure'>;

const failed = (fault: Fault): Written => ({ drafts: {}, failure: recordedFailure(fault) });

/** Asks the drafter and turns the result, be it a text, an exception or a timeout, into an event. */
export async function callDrafter(
  call: DrafterCall,
  state: RunState,
  effect: EffectOf<'draft_arguments'>,
  recall: AbortSignal,
): Promise<Derived> {
  const { drafter, env } = call;
  if (drafter === null) throw new Fault('internal', 'this host has no drafter');
  const check: CheckDrafts = (drafts) => checkDrafts(env, state, drafts);
  const question: RoleQuestion<Written> = {
    role: drafter,
    allowance: drafter.cost,
    ask: async (client, signal) =>
      readDrafts(takeJson(await drafter.draft(requestFor(call, state, effect), signal, client, check)), effect),
    failed,
  };
  const { result, account } = await askRole(call, question, recall);
  const event = { type: 'arguments_drafted', step_id: effect.step_id, ...result, spent: account.spent } as const;
  return answerEvent(event, account);
}

/** Rejects missing and unrequested drafts. The kernel checks whether the values fit. */
function readDrafts(answer: Json, { drafts }: EffectOf<'draft_arguments'>): Written {
  const places = drafts.map(({ pointer }) => pointer);
  const isExact =
    isJsonObject(answer) &&
    Object.keys(answer).length === places.length &&
    places.every((pointer) => Object.hasOwn(answer, pointer));
  if (!isExact)
    throw new Fault('argument_invalid', 'the drafter did not write exactly the arguments that the plan leaves open');
  return { drafts: answer };
}

function requestFor(
  { env, instructions }: DrafterCall,
  state: RunState,
  { tool, drafts }: EffectOf<'draft_arguments'>,
): DraftRequest {
  const shown = shownTool(specOf(env, tool));
  return {
    goal: { statement: state.intake.goal?.statement ?? '' },
    ...(instructions === undefined ? {} : { instructions }),
    tool: shown,
    places: drafts.map((task) => ({ ...task, schema: schemaAt(shown.input_schema, task.pointer) })),
  };
}
