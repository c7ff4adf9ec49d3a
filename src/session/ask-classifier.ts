import type { Derived } from '../kernel/derive.ts';
import type { EffectOf } from '../model/effect.ts';
import type { EventBody } from '../model/event.ts';
import type { Goal } from '../model/goal.ts';
import type { IntentSpec } from '../model/intent.ts';
import type { ToolCost } from '../model/tool.ts';
import type { Classifier, Reading } from '../ports/classifier.ts';
import type { OpenDesk } from '../ports/language-model.ts';

/** Who reads requests, and what they may spend on one. */
export interface Reader {
  readonly classifier: Classifier;
  readonly allowance: ToolCost;
  readonly openDesk: OpenDesk;
}

const NOTHING_READ: Reading = Object.freeze({ intent: null, confidence: 0 });

/** A model that fails, or is called back, has read nothing, and then the user is asked. */
export async function askClassifier(
  { classifier, allowance, openDesk }: Reader,
  goal: Goal,
  intents: readonly IntentSpec[],
  { candidates }: EffectOf<'read_intent'>,
  recall: AbortSignal,
): Promise<Derived> {
  const readings = intents.filter(({ intent }) => candidates.includes(intent));
  const { desk, account } = openDesk(allowance, recall);
  const { intent, confidence } = await classifier.classify({ goal, readings }, desk).catch(() => NOTHING_READ);
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
