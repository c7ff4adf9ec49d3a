import { checkDrafts, type Derived, type KernelEnv, type RunState, schemaAt, specOf } from '../../kernel/index.ts';
import type { EffectOf } from '../../model/events/effect.ts';
import type { EventOf } from '../../model/events/event.ts';
import { Fault } from '../../model/fault/fault.ts';
import { isJsonObject } from '../../model/json/json.ts';
import { reasonOf } from '../../model/json/printable.ts';
import { takeJson } from '../../model/json/take-json.ts';
import type { Drafts } from '../../model/plan/plan.ts';
import type { Clock, Timer } from '../../ports/clock.ts';
import type { OpenModelClient } from '../../ports/model/language-model.ts';
import { type Drafter, type DraftRequest, timeLimitMs } from '../../ports/model/model-roles.ts';
import { shownToPlanner } from './shown-tool.ts';

export interface DrafterCall {
  readonly drafter: Drafter | null;
  readonly instructions?: string;
  readonly env: KernelEnv;
  readonly openModelClient: OpenModelClient;
  readonly clock: Clock;
  readonly timer: Timer;
}

/** Asks the drafter and turns the result, be it a text, an exception or a timeout, into an event. */
export async function callDrafter(
  call: DrafterCall,
  state: RunState,
  effect: EffectOf<'draft_arguments'>,
  recall: AbortSignal,
): Promise<Derived> {
  const { drafter } = call;
  if (drafter === null) throw new Fault('internal', 'this host has no drafter');
  const stop = new AbortController();
  const signal = AbortSignal.any([recall, stop.signal]);
  const { client, account } = call.openModelClient(drafter.cost, signal);
  const timeoutMs = timeLimitMs(drafter);
  const late = call.timer.until(call.clock.nowMs() + timeoutMs, signal).then(() => timeoutFailure(timeoutMs, recall));
  try {
    const asked = (): Promise<Drafts> =>
      drafter.draft(requestFor(call, state, effect), signal, client, (drafts) => checkDrafts(call.env, state, drafts));
    const result = await Promise.race([collectDrafts(asked, effect), late]);
    const { calls, blobs, spent } = account();
    const event = { type: 'arguments_drafted', step_id: effect.step_id, ...result, spent } as const;
    return { event: calls.length === 0 ? event : { ...event, calls }, blobs };
  } finally {
    stop.abort();
  }
}

type Written = Pick<EventOf<'arguments_drafted'>, 'drafts' | 'failure'>;

function timeoutFailure(timeoutMs: number, recall: AbortSignal): Written {
  const message = recall.aborted ? 'the drafter was called back' : `nothing was written within ${timeoutMs} ms`;
  return toFailure(new Fault('model_timeout', message));
}

const toFailure = (fault: Fault): Written => ({ drafts: {}, failure: { code: fault.code, message: reasonOf(fault) } });

/** Rejects missing and unrequested drafts. The kernel checks whether the values fit. */
async function collectDrafts(ask: () => Promise<Drafts>, { drafts }: EffectOf<'draft_arguments'>): Promise<Written> {
  try {
    const answer = takeJson(await ask());
    const places = drafts.map(({ pointer }) => pointer);
    const exact =
      isJsonObject(answer) &&
      Object.keys(answer).length === places.length &&
      places.every((pointer) => Object.hasOwn(answer, pointer));
    if (exact) return { drafts: answer };
    return toFailure(new Fault('argument_invalid', 'not exactly what the plan leaves open was written'));
  } catch (error) {
    return toFailure(Fault.is(error) ? error : new Fault('argument_invalid', reasonOf(error), { cause: error }));
  }
}

function requestFor(
  { env, instructions }: DrafterCall,
  state: RunState,
  { tool, drafts }: EffectOf<'draft_arguments'>,
): DraftRequest {
  const shown = shownToPlanner(specOf(env, tool));
  return {
    goal: { statement: state.intake.goal?.statement ?? '' },
    ...(instructions === undefined ? {} : { instructions }),
    tool: shown,
    places: drafts.map((task) => ({ ...task, schema: schemaAt(shown.input_schema, task.pointer) })),
  };
}
