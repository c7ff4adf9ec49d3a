import { isJsonList, type JsonObject } from '../../model/json.ts';
import { SOURCE_MODEL } from '../../model/origin.ts';
import { committedFact } from '../committed-fact.ts';
import { strangerAt, type Written } from '../inputs-of-others.ts';
import { type Leaf, leavesOf } from '../leaves.ts';
import type { RunState } from '../state.ts';

/**
 * The untrusted source of what a model writes where a plan leaves something open, or null. Whoever writes it reads what
 * the draft names and nothing else of the run, so it is as trusted as the least trusted of that.
 */
export function draftSource(
  state: RunState,
  plan: Written,
  stepId: string,
  pointer: string,
  draft: JsonObject,
): string | null {
  const using = isJsonList(draft['using']) ? { using: draft['using'] } : {};
  const told: readonly (readonly [string, Leaf])[] = [
    ['/$draft', { kind: 'literal', name: '$draft', value: draft['$draft'] ?? null }],
    ...leavesOf(using, using),
  ];
  for (const [below, leaf] of told) {
    const stranger = strangerAt(state, plan, stepId, pointer + below, leaf);
    if (stranger !== null) return stranger;
    if (leaf.kind !== 'bound') continue;
    const fact = committedFact(state, leaf.from);
    if (fact?.trusted === false) return fact.source;
    // Bound to what nobody has committed: known while a plan is verified, and never when its call is made.
    if (fact === null && state.planning.active !== null && plan === state.planning.active) return SOURCE_MODEL;
  }
  return null;
}
