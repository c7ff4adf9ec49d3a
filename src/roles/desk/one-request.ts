import { type Blob, toBlob } from '../../model/blob.ts';
import { Fault } from '../../model/fault.ts';
import type { Hash } from '../../model/hash.ts';
import type { ModelCall, ModelOutcome } from '../../model/model-call.ts';
import { costAt } from '../../model/model-price.ts';
import { Name } from '../../model/name.ts';
import {
  type Asked,
  type Generated,
  type ModelProfile,
  type ModelPrompt,
  type Models,
  UNSAID,
} from '../../ports/language-model.ts';
import type { Book } from './book.ts';
import type { Choice } from './choices.ts';
import { classify } from './classify.ts';
import { readJson } from './read-json.ts';
import { charged, fitsIn } from './spending.ts';
import { type Waiting, withinTime } from './within-time.ts';

export interface Counter extends Waiting {
  readonly models: Models;
  readonly hash: Hash;
  readonly book: Book;
}

/** What is asked, the same for every request of one question. */
export interface Question {
  readonly profile: ModelProfile;
  readonly prompt: ModelPrompt;
  readonly shown: Blob;
  readonly inputTokens: number;
}

export interface Made {
  readonly asked: Asked;
  readonly retryAfterMs: number;
}

/** Makes one request, if what it may take is left, and puts it on record, whatever comes of it. */
export async function requestOnce(
  counter: Counter,
  question: Question,
  { model, price }: Choice,
  attempt: number,
): Promise<Made> {
  const { profile, prompt, shown, inputTokens } = question;
  const { parameters } = profile;
  const most = costAt(price, { input_tokens: inputTokens, output_tokens: parameters.outputTokensMax });
  if (!fitsIn(most, counter.book.left())) return tooDear(model.id, most);
  const call = {
    role: prompt.role,
    profile: profile.name,
    model: model.id,
    template: `${prompt.template.name}@${prompt.template.version}`,
    parameters: { ...parameters },
    prompt: counter.book.keep(shown).address,
    attempt,
  };
  const sent = costAt(price, { input_tokens: inputTokens, output_tokens: 0 });
  const abandoned = { ...call, response: null, outcome: 'called_back', spent: sent, measured: false } as const;
  const pending = { most, abandoned };
  counter.book.open(pending);
  const generated = await withinTime(counter, profile.timeoutMs, (signal) =>
    model.generate(prompt, parameters, signal),
  );
  const answer = generated.ok ? generated.answer : null;
  const text = (answer?.text ?? '').toWellFormed();
  const reported = generated.ok ? (generated.answer.usage ?? UNSAID) : (generated.usage ?? null);
  const { usage, measured } = charged(counter.models, inputTokens, text, reported);
  const asked = askedOf(prompt, generated, text);
  counter.book.close(pending, {
    ...call,
    model: Name.safeParse(answer?.model).data ?? model.id,
    response: answer === null ? null : counter.book.keep(toBlob(text, counter.hash)).address,
    outcome: outcomeOf(generated, counter.signal),
    spent: costAt(price, usage),
    measured,
    ...failureOf(asked),
  });
  return { asked, retryAfterMs: generated.ok ? 0 : generated.retryAfterMs };
}

function tooDear(id: string, most: ReturnType<typeof costAt>): Made {
  const message = `asking ${id} may take ${most.input_tokens} + ${most.output_tokens} tokens and ${most.microusd} millionths of a dollar, more than is left`;
  return { asked: { ok: false, fault: new Fault('budget_exhausted', message) }, retryAfterMs: 0 };
}

function askedOf({ schema }: ModelPrompt, generated: Generated, text: string): Asked {
  if (!generated.ok) return { ok: false, fault: generated.fault };
  const { finish } = generated.answer;
  if (finish === 'refusal') return { ok: false, fault: new Fault('model_refused', 'the model declined to answer') };
  const json = schema === null ? undefined : readJson(text);
  return json === undefined ? { ok: true, text, finish } : { ok: true, text, json, finish };
}

function outcomeOf(generated: Generated, { aborted }: AbortSignal): ModelOutcome {
  if (!generated.ok) {
    if (generated.fault.code !== 'model_timeout') return 'failed';
    return aborted ? 'called_back' : 'timed_out';
  }
  if (generated.answer.finish === 'refusal') return 'refused';
  return generated.answer.finish === 'length' ? 'truncated' : 'answered';
}

const failureOf = (asked: Asked): Pick<ModelCall, 'failure'> => (asked.ok ? {} : { failure: classify(asked.fault) });
