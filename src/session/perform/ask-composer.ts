import { answerFacts, type Derived, type KernelEnv, type RunState, specOf } from '../../kernel/index.ts';
import type { EffectOf } from '../../model/events/effect.ts';
import type { EventOf } from '../../model/events/event.ts';
import { type AnswerFact, type FactField, RewrittenSentence } from '../../model/evidence/answer.ts';
import { Fault } from '../../model/fault/fault.ts';
import { withPlaces } from '../../model/json/sealed.ts';
import { takeJson } from '../../model/json/take-json.ts';
import type { ThreadPart } from '../../model/run/thread.ts';
import type { StatedBy } from '../../model/text/state-value.ts';
import { NO_COST } from '../../model/tool/tool.ts';
import type { ComposeRequest, Composer } from '../../ports/model/model-roles.ts';
import { answerEvent, askRole, type RolePorts, type RoleQuestion, recordedFailure } from './ask-role.ts';
import { placeRewrites, withoutRepetitions } from './place-sentences.ts';

export interface ComposerCall extends RolePorts {
  readonly composer: Composer | null;
  readonly instructions?: string;
  readonly env: KernelEnv;
  readonly askedFields: AskedFields;
  /** The earlier messages of the thread. */
  readonly messages: readonly ThreadPart[];
}

/** Finds the fields that a request asks for by name, one list per word. */
export type AskedFields = (
  request: string,
  facts: readonly AnswerFact[],
  specOf: (tool: string) => StatedBy,
) => readonly (readonly FactField[])[];

type Composed = Pick<EventOf<'answer_composed'>, 'sentences' | 'places' | 'asked' | 'failure'>;

const SENTENCES_MAX = 100;
const NO_COMPOSER = new Fault('model_misconfigured', 'this process has no composer');

const failed = (fault: Fault): Composed => ({ sentences: [], failure: recordedFailure(fault) });

/** Asks the composer and turns the result, be it sentences, an exception or a timeout, into an event. */
export async function callComposer(
  call: ComposerCall,
  state: RunState,
  effect: EffectOf<'compose_answer'>,
  recall: AbortSignal,
): Promise<Derived> {
  const { composer } = call;
  const asked = { type: 'answer_composed', attempt: effect.attempt } as const;
  if (composer === null) return { event: { ...asked, ...failed(NO_COMPOSER), spent: NO_COST }, blobs: [] };
  const question: RoleQuestion<Composed> = {
    role: composer,
    allowance: composer.cost,
    ask: async (client, signal) => {
      const written = takeJson(await composer.compose(requestFor(call, state, effect), signal, client));
      const read = RewrittenSentence.array().max(SENTENCES_MAX).safeParse(written);
      if (!read.success) throw new Fault('argument_invalid', 'the composer returned no list of sentences');
      const { sentences = [] } = state.ending.answer ?? {};
      return effect.rewrite.length === 0
        ? {
            sentences: withoutRepetitions(read.data).map(({ text, cites }) => ({ text, cites })),
            asked: call.askedFields(state.intake.goal?.statement ?? '', answerFacts(call.env, state), (tool) =>
              specOf(call.env, tool),
            ),
          }
        : placeRewrites(read.data, sentences, effect.rewrite);
    },
    failed,
  };
  const { result, account } = await askRole(call, question, recall);
  return answerEvent({ ...asked, ...result, spent: account.spent }, account);
}

function requestFor(
  { env, instructions, messages }: ComposerCall,
  state: RunState,
  { rewrite }: EffectOf<'compose_answer'>,
): ComposeRequest {
  const sentences = state.ending.answer?.sentences ?? [];
  return {
    goal: { statement: state.intake.goal?.statement ?? '' },
    ...(instructions === undefined ? {} : { instructions }),
    facts: answerFacts(env, state).map(withoutHidden),
    ...(messages.length === 0 ? {} : { messages }),
    rewrite: rewrite.map(({ index, reason }) => ({ text: sentences[index]?.text ?? '', reason })),
  };
}

/** Removes the hidden parts: a composer cannot disclose what it does not see. */
function withoutHidden({ hidden = [], ...fact }: AnswerFact): AnswerFact {
  return { ...fact, value: withPlaces(fact.value, new Map(hidden.map((place) => [place, null]))) };
}
