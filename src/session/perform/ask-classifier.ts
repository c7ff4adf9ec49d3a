import type { Derived } from '../../kernel/index.ts';
import type { EffectOf } from '../../model/events/effect.ts';
import type { EventBody } from '../../model/events/event.ts';
import type { Goal } from '../../model/plan/goal.ts';
import type { IntentSpec } from '../../model/plan/intent.ts';
import type { ToolCost } from '../../model/tool/tool.ts';
import type { Clock, Timer } from '../../ports/clock.ts';
import type { OpenModelClient } from '../../ports/model/language-model.ts';
import { type Classifier, type Reading, timeLimitMs } from '../../ports/model/model-roles.ts';

/** The classifier, and the budget for one request. */
export interface Reader {
  readonly classifier: Classifier;
  readonly allowance: ToolCost;
  readonly openModelClient: OpenModelClient;
  readonly clock: Clock;
  readonly timer: Timer;
}

const NOTHING_READ: Reading = Object.freeze({ intent: null, confidence: 0 });

/** Asks the classifier. A failure, a timeout or a cancellation counts as no reading; the user is then asked. */
export async function askClassifier(
  { classifier, allowance, openModelClient, clock, timer }: Reader,
  goal: Goal,
  intents: readonly IntentSpec[],
  { candidates }: EffectOf<'read_intent'>,
  recall: AbortSignal,
): Promise<Derived> {
  const readings = intents.filter(({ intent }) => candidates.includes(intent));
  const over = new AbortController();
  const signal = AbortSignal.any([recall, over.signal]);
  const { client, account } = openModelClient(allowance, signal);
  const late = timer.until(clock.nowMs() + timeLimitMs(classifier), signal).then(() => NOTHING_READ);
  const asked = readSafely(() => classifier.classify({ goal, readings }, client));
  const { intent, confidence } = await Promise.race([asked, late]).finally(() => over.abort());
  const chosen = readings.find((reading) => reading.intent === intent);
  const { calls, blobs, spent } = account();
  const event: EventBody = {
    type: 'intent_read',
    intent: chosen?.intent ?? null,
    task_class: chosen?.task_class ?? 'unknown',
    confidence: chosen === undefined ? 0 : confidence,
    spent,
  };
  return { event: calls.length === 0 ? event : { ...event, calls }, blobs };
}

/** Calls custom classifier code; an invalid reading counts as none. */
async function readSafely(ask: () => Promise<Reading>): Promise<Reading> {
  try {
    const reading: Partial<Reading> | null | undefined = await ask();
    const { intent = null, confidence = 0 } = reading ?? {};
    return confidence >= 0 && confidence <= 1 ? { intent, confidence } : NOTHING_READ;
  } catch {
    return NOTHING_READ;
  }
}
