import { z } from 'zod';
import { activeContext, type ShownBeside } from '../kernel/active-context.ts';
import { checkCompression } from '../kernel/compress.ts';
import type { Derived } from '../kernel/derive.ts';
import type { RunState } from '../kernel/state.ts';
import { type ActiveContext, KEPT_CLASSES, type LooseItem } from '../model/compression.ts';
import type { EffectOf } from '../model/effect.ts';
import type { EventBody } from '../model/event.ts';
import { parseEventBody } from '../model/event-schema.ts';
import { Fault, type FaultCode } from '../model/fault.ts';
import { Text } from '../model/name.ts';
import { own } from '../model/own.ts';
import { parse } from '../model/parse.ts';
import { reasonOf } from '../model/printable.ts';
import { addCost, NO_COST, type ToolCost } from '../model/tool.ts';
import { answerTime } from '../ports/answer-time.ts';
import type { Clock } from '../ports/clock.ts';
import type { DeskAccount, Models, OpenDesk } from '../ports/language-model.ts';
import type { Compression, Reviewer } from '../ports/reviewer.ts';
import type { Timer } from '../ports/timer.ts';
import { workDone } from './ask-judges.ts';

export interface ReviewerCall {
  readonly reviewer: Reviewer;
  readonly openDesk: OpenDesk;
  /** The most that one question may take. */
  readonly allowance: ToolCost;
  readonly models: Pick<Models, 'countTokens'>;
  readonly clock: Clock;
  readonly timer: Timer;
}

/**
 * A reviewer that fails, is called back, or answers with something else than a reflection has found nothing: the run
 * goes on to what it would do without one.
 */
export function askForReflection(
  call: ReviewerCall,
  state: RunState,
  { trigger, reason }: EffectOf<'reflect'>,
  recall: AbortSignal,
): Promise<Derived> {
  const { reviewer, openDesk, allowance } = call;
  const over = new AbortController();
  const signal = AbortSignal.any([recall, over.signal]);
  const { desk, account } = openDesk(allowance, signal);
  const failed: Failed = (why) => ({ type: 'reflection_made', trigger, note: why, spent: NO_COST });
  const made = async (): Promise<ReviewEvent> => {
    const { goal } = state.intake;
    if (goal === null) throw new Fault('input_missing', 'there is no goal to look back from');
    const plan = state.planning.active?.plan ?? null;
    const work = { trigger, reason, goal, plan, done: workDone(state) };
    const { note, spent } = answered(await reviewer.reflect(work, signal, desk));
    return parseEventBody({ type: 'reflection_made', trigger, note, spent }) as ReviewEvent;
  };
  return inTime(call, made, failed, recall, over).then((event) => withAccount(event, account()));
}

/**
 * A compression is held against what the run really holds, whatever its author says it kept. One that did not come back
 * counts as one that lost everything, because nothing says what it kept; one that nobody could be asked for is none.
 */
export function askForCompression(
  call: ReviewerCall,
  state: RunState,
  beside: ShownBeside,
  recall: AbortSignal,
): Promise<Derived> {
  const { reviewer, openDesk, allowance, models } = call;
  const before = state.budget?.context_tokens ?? 0;
  // Folded up to here, the journal gives the state before the compression.
  const pointer = `${state.id.traceId}@${state.seq}`;
  const over = new AbortController();
  const signal = AbortSignal.any([recall, over.signal]);
  const { desk, account } = openDesk(allowance, signal);
  const none = { type: 'context_compressed', lost: [], tokens: before, pointer } as const;
  const failed: Failed = (why, fault) =>
    fault === null || !isOutage(fault)
      ? { ...none, lost: [why] }
      : { ...none, failure: { code: fault.code, message: why } };
  const made = async (): Promise<ReviewEvent> => {
    const { context, texts } = activeContext(state, beside);
    const said = readCompression(await reviewer.compress({ context, texts, tokens: before }, signal, desk));
    const after = compressed(context, said);
    const ruling = checkCompression(context, after);
    const gone = after.demoted.filter((place) => !context.demoted.includes(place));
    const freed = gone.reduce((sum, place) => sum + leastTokens(texts.get(place) ?? ''), 0);
    const tokens = Math.max(0, before - freed) + models.countTokens(said.digest);
    const { lost } = ruling.ok ? { lost: [] } : ruling;
    const body = { type: 'context_compressed', lost, tokens, pointer, demoted: after.demoted, digest: said.digest };
    return parseEventBody(body) as ReviewEvent;
  };
  return inTime(call, made, failed, recall, over).then((event) => withAccount(event, account()));
}

/** What is said of a review that came to nothing, and what its author failed with, where that is known. */
type Failed = (why: string, fault: Fault | null) => ReviewEvent;

/** Somebody else's machine is not there, or takes no requests of ours: that says nothing about what may be left out. */
const OUTAGES: ReadonlySet<FaultCode> = new Set<FaultCode>([
  'model_unreachable',
  'model_overloaded',
  'model_timeout',
  'model_rejected',
  'model_misconfigured',
]);
const isOutage = ({ code }: Fault): boolean => OUTAGES.has(code);

type ReviewEvent = Extract<EventBody, { readonly type: 'reflection_made' | 'context_compressed' }>;

/** Counting tokens never says too little, which makes it no measure of what was freed: that may not be too much. */
const CHARACTERS_PER_TOKEN = 4;
const leastTokens = (text: string): number => Math.floor(text.length / CHARACTERS_PER_TOKEN);

const NAMES_MAX = 10_000;
const Names = z.array(z.string().max(500)).max(NAMES_MAX);
const DIGEST_MAX = 20_000;
const Said: z.ZodType<Compression> = z.strictObject({
  kept: z.strictObject(Object.fromEntries(KEPT_CLASSES.map((name) => [name, Names]))) as unknown as z.ZodType<
    Compression['kept']
  >,
  dropped: Names,
  digest: Text.refine((text) => text.length <= DIGEST_MAX, `must be at most ${DIGEST_MAX} characters`),
});

function readCompression(answer: unknown): Compression {
  return parse(Said, answer, 'event_invalid');
}

/** What would be shown: the named part of every class, as the state has it, and nothing that has to go. */
function compressed(before: ActiveContext, { kept, dropped }: Compression): ActiveContext {
  const gone = new Set(dropped);
  const stays = (item: LooseItem): boolean =>
    !gone.has(item.pointer) && item.class === 'redundant_output' && !isSummed(before, item);
  const loose = before.loose.filter(stays);
  const left = before.loose.filter((item) => !stays(item)).map(({ pointer }) => pointer);
  const classes = KEPT_CLASSES.map((name) => [name, named(before.kept[name], new Set(kept[name]))] as const);
  return {
    kept: Object.fromEntries(classes) as unknown as ActiveContext['kept'],
    loose,
    demoted: [...before.demoted, ...left],
  };
}

const isSummed = ({ kept }: ActiveContext, { summarized_by }: LooseItem): boolean =>
  summarized_by !== undefined && own(kept.verified_observations, summarized_by) !== undefined;

const named = <T>(all: Readonly<Record<string, T>>, names: ReadonlySet<string>): Readonly<Record<string, T>> =>
  Object.fromEntries(Object.entries(all).filter(([name]) => names.has(name)));

/** What models were asked on the way is on record and charged, whatever came of it. */
function withAccount(event: ReviewEvent, { calls, blobs, spent }: DeskAccount): Derived {
  if (calls.length === 0) return { event, blobs };
  return { event: { ...event, spent: addCost(event.spent ?? NO_COST, spent), calls }, blobs };
}

/** What a reviewer says comes from a model. Its parts are held to the journal's schema by whoever asked for them. */
function answered<T>(answer: T): T {
  if (typeof answer === 'object' && answer !== null) return answer;
  throw new Fault('event_invalid', 'there was no answer');
}

const LATE = new Fault('model_timeout', 'the reviewer did not answer in time');

/** Whoever is called back, or whose time is over, may not listen, and whoever is asked may throw. Either way there is an answer. */
async function inTime(
  { reviewer, clock, timer }: ReviewerCall,
  made: () => Promise<ReviewEvent>,
  failed: Failed,
  recall: AbortSignal,
  over: AbortController,
): Promise<ReviewEvent> {
  const ended = timer
    .until(clock.nowMs() + answerTime(reviewer), AbortSignal.any([recall, over.signal]))
    .then(() => (recall.aborted ? failed('the reviewer was called back', null) : failed(LATE.message, LATE)));
  const asked = made().catch((error: unknown) =>
    failed(`the reviewer failed: ${reasonOf(error)}`, Fault.is(error) ? error : null),
  );
  return await Promise.race([asked, ended]).finally(() => over.abort());
}
