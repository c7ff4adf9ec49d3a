import type { EffectOf } from '../../../model/effect.ts';
import type { EventBody } from '../../../model/event.ts';
import type { ToolCost } from '../../../model/tool.ts';
import type { Prng } from '../prng.ts';
import { randomSpending } from './answers.ts';

/** A model that says which of several readings is meant, more or less sure of it; now and then it reads nothing, or takes too much. */
export function intentRead(
  prng: Prng,
  { candidates }: EffectOf<'read_intent'>,
  { lie, most }: { readonly lie: number; readonly most: ToolCost },
): EventBody {
  const usual = randomSpending(prng, most);
  const spent = prng.chance(lie / 10) ? { ...usual, input_tokens: usual.input_tokens + 1_000_000 } : usual;
  const intent = prng.chance(lie / 2) ? undefined : prng.any(candidates);
  if (intent === undefined) return { type: 'intent_read', intent: null, task_class: 'unknown', confidence: 0, spent };
  return { type: 'intent_read', intent, task_class: 'errand', confidence: prng.pick([0.69, 0.7, 0.95]), spent };
}
