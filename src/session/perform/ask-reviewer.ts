import { z } from 'zod';
import { activeContext, checkCompression, type Derived, type ExtraContext, type RunState } from '../../kernel/index.ts';
import type { EffectOf } from '../../model/events/effect.ts';
import type { EventBody } from '../../model/events/event.ts';
import { parseEventBody } from '../../model/events/event-schema.ts';
import { type ActiveContext, type DroppableItem, KEPT_CLASSES } from '../../model/evidence/compression.ts';
import { Fault, type FaultCode } from '../../model/fault/fault.ts';
import { own } from '../../model/json/json.ts';
import { Text } from '../../model/json/name.ts';
import { parse } from '../../model/json/parse.ts';
import { reasonOf } from '../../model/json/printable.ts';
import { addCost, NO_COST, type ToolCost } from '../../model/tool/tool.ts';
import type { Clock, Timer } from '../../ports/clock.ts';
import type { ModelAccount, Models, OpenModelClient } from '../../ports/model/language-model.ts';
import { type Compression, type Reviewer, timeLimitMs } from '../../ports/model/model-roles.ts';
import { workDone } from './ask-judges.ts';
import { messagesDigest } from './messages-digest.ts';

export interface ReviewerCall {
  readonly reviewer: Reviewer;
  readonly openModelClient: OpenModelClient;
  /** The budget of one request. */
  readonly allowance: ToolCost;
  readonly models: Pick<Models, 'countTokens'>;
  /** The most tokens that earlier messages may take; left out in runs from before the limit. */
  readonly historyTokensMax?: number;
  readonly clock: Clock;
  readonly timer: Timer;
}

/**
 * Asks the reviewer to reflect on a failure. A failure, a cancellation or an invalid answer counts as an empty
 * reflection; the run continues as without a reviewer.
 */
export function askForReflection(
  call: ReviewerCall,
  state: RunState,
  { trigger, reason }: EffectOf<'reflect'>,
  recall: AbortSignal,
): Promise<Derived> {
  const { reviewer, openModelClient, allowance } = call;
  const over = new AbortController();
  const signal = AbortSignal.any([recall, over.signal]);
  const { client, account } = openModelClient(allowance, signal);
  const failed: Failed = (why) => ({ type: 'reflection_made', trigger, note: why, spent: NO_COST });
  const made = async (): Promise<ReviewEvent> => {
    const { goal } = state.intake;
    if (goal === null) throw new Fault('input_missing', 'there is no goal to look back from');
    const plan = state.planning.active?.plan ?? null;
    const work = { trigger, reason, goal, plan, done: workDone(state) };
    const { note, spent } = requireObject(await reviewer.reflect(work, signal, client));
    return parseEventBody({ type: 'reflection_made', trigger, note, spent }) as ReviewEvent;
  };
  return withTimeLimit(call, made, failed, recall, over).then((event) => withAccount(event, account()));
}

/**
 * Asks the reviewer to compress the context. The result is checked against the state of the run, not against the
 * reviewer's claims. A failed compression counts as one that lost everything; if the model was unreachable, it counts
 * as none.
 */
export function askForCompression(
  call: ReviewerCall,
  state: RunState,
  shownContext: ExtraContext,
  recall: AbortSignal,
): Promise<Derived> {
  const { reviewer, openModelClient, allowance, models } = call;
  const before = state.budget?.context_tokens ?? 0;
  // Folding the journal up to this point restores the state before the compression.
  const pointer = `${state.id.traceId}@${state.seq}`;
  const over = new AbortController();
  const signal = AbortSignal.any([recall, over.signal]);
  const { client, account } = openModelClient(allowance, signal);
  const none = { type: 'context_compressed', lost: [], tokens: before, pointer } as const;
  const failed: Failed = (why, fault) =>
    fault === null || !isOutage(fault)
      ? { ...none, lost: [why] }
      : { ...none, failure: { code: fault.code, message: why } };
  const made = async (): Promise<ReviewEvent> => {
    const { context, texts } = activeContext(state, shownContext);
    const compression = readCompression(await reviewer.compress({ context, texts, tokens: before }, signal, client));
    const after = applyCompression(context, compression);
    const ruling = checkCompression(context, after);
    const gone = after.demoted.filter((place) => !context.demoted.includes(place));
    const excerpts = compression.digest.trim() === '' ? ownDigest(call, context, texts) : '';
    const digest = excerpts === '' ? compression.digest : excerpts;
    const freed = gone.reduce((sum, place) => sum + leastTokens(texts.get(place) ?? ''), 0);
    const tokens = Math.max(0, before - freed) + models.countTokens(digest);
    const { lost } = ruling.ok ? { lost: [] } : ruling;
    const body = {
      type: 'context_compressed',
      lost,
      tokens,
      pointer,
      demoted: after.demoted,
      digest,
      ...(excerpts === '' ? {} : { excerpts: true }),
    };
    return parseEventBody(body) as ReviewEvent;
  };
  return withTimeLimit(call, made, failed, recall, over).then((event) => withAccount(event, account()));
}

/** The digest of the earlier messages if the reviewer has written none, so that no message is dropped without trace. */
const ownDigest = (
  { historyTokensMax }: ReviewerCall,
  { loose }: ActiveContext,
  texts: ReadonlyMap<string, string>,
): string => messagesDigest(loose, texts, historyTokensMax ?? Number.MAX_SAFE_INTEGER);

/** Builds the event of a failed review from its reason and, if known, its fault. */
type Failed = (why: string, fault: Fault | null) => ReviewEvent;

/** Faults of the model provider. They say nothing about which context may be dropped. */
const OUTAGES: ReadonlySet<FaultCode> = new Set<FaultCode>([
  'model_unreachable',
  'model_overloaded',
  'model_timeout',
  'model_rejected',
  'model_misconfigured',
]);
const isOutage = ({ code }: Fault): boolean => OUTAGES.has(code);

type ReviewEvent = Extract<EventBody, { readonly type: 'reflection_made' | 'context_compressed' }>;

/** A lower bound for the tokens that were freed. `countTokens` rounds up, so it would overstate them. */
const CHARACTERS_PER_TOKEN = 4;
const leastTokens = (text: string): number => Math.floor(text.length / CHARACTERS_PER_TOKEN);

const NAMES_MAX = 10_000;
const Names = z.array(z.string().max(500)).max(NAMES_MAX);
const DIGEST_MAX = 20_000;
const CompressionAnswer: z.ZodType<Compression> = z.strictObject({
  kept: z.strictObject(Object.fromEntries(KEPT_CLASSES.map((name) => [name, Names]))) as unknown as z.ZodType<
    Compression['kept']
  >,
  dropped: Names,
  digest: Text.refine((text) => text.length <= DIGEST_MAX, `must be at most ${DIGEST_MAX} characters`),
});

function readCompression(answer: unknown): Compression {
  return parse(CompressionAnswer, answer, 'event_invalid');
}

/**
 * The context after a compression: the named items of every class with the values of the state, without dropped items.
 */
function applyCompression(before: ActiveContext, { kept, dropped }: Compression): ActiveContext {
  const gone = new Set(dropped);
  const stays = (item: DroppableItem): boolean =>
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

const isSummed = ({ kept }: ActiveContext, { summarized_by }: DroppableItem): boolean =>
  summarized_by !== undefined && own(kept.verified_observations, summarized_by) !== undefined;

const named = <T>(all: Readonly<Record<string, T>>, names: ReadonlySet<string>): Readonly<Record<string, T>> =>
  Object.fromEntries(Object.entries(all).filter(([name]) => names.has(name)));

/** Adds the model calls to the event. They are recorded and charged even if the review failed. */
function withAccount(event: ReviewEvent, { calls, blobs, spent }: ModelAccount): Derived {
  if (calls.length === 0) return { event, blobs };
  return { event: { ...event, spent: addCost(event.spent ?? NO_COST, spent), calls }, blobs };
}

/** Rejects an answer that is not an object. The caller checks its fields against the event schema. */
function requireObject<T>(answer: T): T {
  if (typeof answer === 'object' && answer !== null) return answer;
  throw new Fault('event_invalid', 'there was no answer');
}

const LATE = new Fault('model_timeout', 'the reviewer did not answer in time');

/** Enforces the time limit. Resolves after a timeout, a cancellation or an exception, even if a signal is ignored. */
async function withTimeLimit(
  { reviewer, clock, timer }: ReviewerCall,
  made: () => Promise<ReviewEvent>,
  failed: Failed,
  recall: AbortSignal,
  over: AbortController,
): Promise<ReviewEvent> {
  const ended = timer
    .until(clock.nowMs() + timeLimitMs(reviewer), AbortSignal.any([recall, over.signal]))
    .then(() => (recall.aborted ? failed('the reviewer was called back', null) : failed(LATE.message, LATE)));
  const asked = made().catch((error: unknown) =>
    failed(`the reviewer failed: ${reasonOf(error)}`, Fault.is(error) ? error : null),
  );
  return await Promise.race([asked, ended]).finally(() => over.abort());
}
