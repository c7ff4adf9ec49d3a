import { answerFacts, type Derived, type KernelEnv, type RunState } from '../../kernel/index.ts';
import type { EffectOf } from '../../model/events/effect.ts';
import type { EventOf } from '../../model/events/event.ts';
import { type AnswerFact, ComposedSentence } from '../../model/evidence/answer.ts';
import { Fault } from '../../model/fault/fault.ts';
import { reasonOf } from '../../model/json/printable.ts';
import { withPlaces } from '../../model/json/sealed.ts';
import { takeJson } from '../../model/json/take-json.ts';
import type { Clock, Timer } from '../../ports/clock.ts';
import type { OpenModelClient } from '../../ports/model/language-model.ts';
import { type ComposeRequest, type Composer, timeLimitMs } from '../../ports/model/model-roles.ts';

export interface ComposerCall {
  readonly composer: Composer | null;
  readonly instructions?: string;
  readonly env: KernelEnv;
  readonly openModelClient: OpenModelClient;
  readonly clock: Clock;
  readonly timer: Timer;
}

/** Asks the composer and turns the result, be it sentences, an exception or a timeout, into an event. */
export async function callComposer(
  call: ComposerCall,
  state: RunState,
  effect: EffectOf<'compose_answer'>,
  recall: AbortSignal,
): Promise<Derived> {
  const { composer } = call;
  const { attempt } = effect;
  if (composer === null)
    return { event: { type: 'answer_composed', attempt, ...toFailure(NO_COMPOSER), spent: FREE }, blobs: [] };
  const stop = new AbortController();
  const signal = AbortSignal.any([recall, stop.signal]);
  const { client, account } = call.openModelClient(composer.cost, signal);
  const timeoutMs = timeLimitMs(composer);
  const late = call.timer.until(call.clock.nowMs() + timeoutMs, signal).then(() => timeoutFailure(timeoutMs, recall));
  try {
    const composed = collectSentences(() => composer.compose(requestFor(call, state, effect), signal, client));
    const result = await Promise.race([composed, late]);
    const { calls, blobs, spent } = account();
    const event = { type: 'answer_composed', attempt, ...result, spent } as const;
    return { event: calls.length === 0 ? event : { ...event, calls }, blobs };
  } finally {
    stop.abort();
  }
}

const FREE = Object.freeze({ input_tokens: 0, output_tokens: 0, microusd: 0 });
const NO_COMPOSER = new Fault('model_misconfigured', 'this process has no composer');

type Composed = Pick<EventOf<'answer_composed'>, 'sentences' | 'failure'>;

function timeoutFailure(timeoutMs: number, recall: AbortSignal): Composed {
  const message = recall.aborted ? 'the composer was called back' : `nothing was written within ${timeoutMs} ms`;
  return toFailure(new Fault('model_timeout', message));
}

const toFailure = (fault: Fault): Composed => ({
  sentences: [],
  failure: { code: fault.code, message: reasonOf(fault) },
});

const SENTENCES_MAX = 100;

async function collectSentences(ask: () => Promise<readonly ComposedSentence[]>): Promise<Composed> {
  try {
    const read = ComposedSentence.array()
      .max(SENTENCES_MAX)
      .safeParse(takeJson(await ask()));
    if (read.success) return { sentences: read.data };
    return toFailure(new Fault('argument_invalid', 'the composer returned no list of sentences'));
  } catch (error) {
    return toFailure(Fault.is(error) ? error : new Fault('argument_invalid', reasonOf(error), { cause: error }));
  }
}

function requestFor(
  { env, instructions }: ComposerCall,
  state: RunState,
  { rewrite }: EffectOf<'compose_answer'>,
): ComposeRequest {
  const sentences = state.ending.answer?.sentences ?? [];
  return {
    goal: { statement: state.intake.goal?.statement ?? '' },
    ...(instructions === undefined ? {} : { instructions }),
    facts: answerFacts(env, state).map(withoutHidden),
    rewrite: rewrite.map(({ index, reason }) => ({ text: sentences[index]?.text ?? '', reason })),
  };
}

/** Removes the hidden parts: a composer cannot disclose what it does not see. */
function withoutHidden({ hidden = [], ...fact }: AnswerFact): AnswerFact {
  return { ...fact, value: withPlaces(fact.value, new Map(hidden.map((place) => [place, null]))) };
}
