import type { Derived } from '../kernel/derive.ts';
import type { EffectOf } from '../model/effect.ts';
import type { EventBody } from '../model/event.ts';
import type { Goal } from '../model/goal.ts';
import type { IntentSpec } from '../model/intent.ts';
import type { ToolCost } from '../model/tool.ts';
import { answerTime } from '../ports/answer-time.ts';
import type { Classifier, Reading } from '../ports/classifier.ts';
import type { Clock } from '../ports/clock.ts';
import type { OpenDesk } from '../ports/language-model.ts';
import type { Timer } from '../ports/timer.ts';

/** Who reads requests, and what they may spend on one. */
export interface Reader {
  readonly classifier: Classifier;
  readonly allowance: ToolCost;
  readonly openDesk: OpenDesk;
  readonly clock: Clock;
  readonly timer: Timer;
}

const NOTHING_READ: Reading = Object.freeze({ intent: null, confidence: 0 });

/** A model that fails, stalls, or is called back, has read nothing, and then the user is asked. */
export async function askClassifier(
  { classifier, allowance, openDesk, clock, timer }: Reader,
  goal: Goal,
  intents: readonly IntentSpec[],
  { candidates }: EffectOf<'read_intent'>,
  recall: AbortSignal,
): Promise<Derived> {
  const readings = intents.filter(({ intent }) => candidates.includes(intent));
  const over = new AbortController();
  const signal = AbortSignal.any([recall, over.signal]);
  const { desk, account } = openDesk(allowance, signal);
  const late = timer.until(clock.nowMs() + answerTime(classifier), signal).then(() => NOTHING_READ);
  const asked = heard(() => classifier.classify({ goal, readings }, desk));
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

/** A classifier may be anybody's code: whatever is no reading is none. */
async function heard(ask: () => Promise<Reading>): Promise<Reading> {
  try {
    const said: Partial<Reading> | null | undefined = await ask();
    const { intent = null, confidence = 0 } = said ?? {};
    return confidence >= 0 && confidence <= 1 ? { intent, confidence } : NOTHING_READ;
  } catch {
    return NOTHING_READ;
  }
}
