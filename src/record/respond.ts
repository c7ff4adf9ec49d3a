import { canonicalize } from '../model/canonical.ts';
import type { Claim } from '../model/claim.ts';
import type { EventBody } from '../model/event.ts';
import type { Goal } from '../model/goal.ts';
import type { Json } from '../model/json.ts';
import { own } from '../model/own.ts';

/** A committed value that the plan wanted shown, and the observation it stands on. */
interface Shown {
  readonly key: string;
  readonly value: Json;
  readonly observation: string;
}

/**
 * The plainest honest answer: one claim for every criterion that evidence shows, each naming the observation it
 * stands on, and none on what is disputed. Then whatever the plan wanted shown, as it was observed. A model may word it
 * better later; it may not say more. Where a model was permitted to answer by itself, its words are the text, and they
 * claim no observation.
 */
export function compileResponse(
  goal: Goal,
  evidenceByType: Readonly<Record<string, string>>,
  disputed: readonly string[],
  direct: string | null = null,
  shown: readonly Shown[] = [],
): EventBody {
  const met = goal.acceptance_criteria.flatMap(({ statement, evidence }): readonly Claim[] => {
    const observation = evidence === undefined ? undefined : own(evidenceByType, evidence);
    return observation === undefined || disputed.includes(observation) ? [] : [{ statement, observation }];
  });
  const values = shown
    .filter(({ observation }) => !disputed.includes(observation))
    .map(({ key, value, observation }): Claim => ({ statement: `${key}: ${inWords(value)}`, observation }));
  const text = [met.map(({ statement }) => statement).join(' '), ...values.map(({ statement }) => statement)];
  return { type: 'response_compiled', claims: [...met, ...values], text: direct ?? text.join('\n').trim() };
}

const SHOWN_MAX = 2_000;

/** As it was observed, as much of it as anybody reads. */
function inWords(value: Json): string {
  const text = canonicalize(value);
  const cut = text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)} …` : text;
  // The one character that JSON leaves as it is and text for people may not hold.
  return cut.toWellFormed().replaceAll('\u007f', '');
}
