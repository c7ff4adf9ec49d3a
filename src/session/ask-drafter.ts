import type { Derived } from '../kernel/derive.ts';
import { stepInDraft } from '../kernel/draft/ask-drafter.ts';
import { putDrafts } from '../kernel/draft/draft-places.ts';
import type { KernelEnv } from '../kernel/env.ts';
import { specOf } from '../kernel/spec-of.ts';
import type { RunState } from '../kernel/state.ts';
import { rooted } from '../kernel/verify/fit/rooted.ts';
import { locate } from '../kernel/verify/locate.ts';
import { tokensOf } from '../kernel/verify/pointer-walk.ts';
import type { Drafts } from '../model/draft.ts';
import type { EffectOf } from '../model/effect.ts';
import type { EventOf } from '../model/event.ts';
import { Fault } from '../model/fault.ts';
import { isJsonObject } from '../model/json.ts';
import { reasonOf } from '../model/printable.ts';
import { takeJson } from '../model/take-json.ts';
import { answerTime } from '../ports/answer-time.ts';
import type { Clock } from '../ports/clock.ts';
import type { CheckDrafts, Drafter, DraftRequest } from '../ports/drafter.ts';
import type { OpenDesk } from '../ports/language-model.ts';
import type { Timer } from '../ports/timer.ts';
import { shownToPlanner } from './shown-to-planner.ts';

export interface DrafterCall {
  readonly drafter: Drafter | null;
  readonly env: KernelEnv;
  readonly openDesk: OpenDesk;
  readonly clock: Clock;
  readonly timer: Timer;
}

/** Has arguments written and turns whatever happens, a text, an exception or silence, into an event. */
export async function askDrafter(
  call: DrafterCall,
  state: RunState,
  effect: EffectOf<'draft_arguments'>,
  recall: AbortSignal,
): Promise<Derived> {
  const { drafter } = call;
  if (drafter === null) throw new Fault('internal', 'nobody writes arguments here');
  const stop = new AbortController();
  const signal = AbortSignal.any([recall, stop.signal]);
  const { desk, account } = call.openDesk(drafter.cost, signal);
  const timeoutMs = answerTime(drafter);
  const late = call.timer.until(call.clock.nowMs() + timeoutMs, signal).then(() => silence(timeoutMs, recall));
  try {
    const asked = (): Promise<Drafts> =>
      drafter.draft(requestFor(call, state, effect), signal, desk, checkWith(call, state));
    const heard = await Promise.race([written(asked, effect), late]);
    const { calls, blobs, spent } = account();
    const event = { type: 'arguments_drafted', step_id: effect.step_id, ...heard, spent } as const;
    return { event: calls.length === 0 ? event : { ...event, calls }, blobs };
  } finally {
    stop.abort();
  }
}

type Written = Pick<EventOf<'arguments_drafted'>, 'drafts' | 'failure'>;

function silence(timeoutMs: number, recall: AbortSignal): Written {
  const message = recall.aborted ? 'the drafter was called back' : `nothing was written within ${timeoutMs} ms`;
  return failed(new Fault('model_timeout', message));
}

const failed = (fault: Fault): Written => ({ drafts: {}, failure: { code: fault.code, message: reasonOf(fault) } });

/** What is missing or was not asked for is no draft; whether the rest fits is for the kernel to say. */
async function written(ask: () => Promise<Drafts>, { drafts }: EffectOf<'draft_arguments'>): Promise<Written> {
  try {
    const said = takeJson(await ask());
    const places = drafts.map(({ pointer }) => pointer);
    const exact =
      isJsonObject(said) &&
      Object.keys(said).length === places.length &&
      places.every((pointer) => Object.hasOwn(said, pointer));
    if (exact) return { drafts: said };
    return failed(new Fault('argument_invalid', 'not exactly what the plan leaves open was written'));
  } catch (error) {
    return failed(Fault.is(error) ? error : new Fault('argument_invalid', reasonOf(error), { cause: error }));
  }
}

function requestFor(
  { env }: DrafterCall,
  state: RunState,
  { tool, drafts }: EffectOf<'draft_arguments'>,
): DraftRequest {
  const shown = shownToPlanner(specOf(env, tool));
  const schemaAt = (pointer: string): DraftRequest['places'][number]['schema'] =>
    locate(rooted(shown.input_schema), tokensOf(pointer)).schema.schema;
  return {
    goal: { statement: state.intake.goal?.statement ?? '' },
    tool: shown,
    places: drafts.map((task) => ({ ...task, schema: schemaAt(task.pointer) })),
  };
}

/** What is said about a draft is said by the tool's own schema, with everything else of the call in place. */
function checkWith({ env }: DrafterCall, state: RunState): CheckDrafts {
  const { step, resolved } = stepInDraft(state);
  return (drafts) => {
    const args = putDrafts(step.params ?? {}, resolved, drafts);
    if (args === undefined || !isJsonObject(args)) {
      return [{ code: 'argument_invalid', path: '', message: 'the arguments are an object' }];
    }
    return env.tools.checkArguments(step.tool, env.tools.complete(step.tool, args));
  };
}
