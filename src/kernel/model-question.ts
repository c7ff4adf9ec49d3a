import { isJsonObject, type Json } from '../model/json.ts';
import { Proposal } from '../model/proposal.ts';
import type { Question } from './people-state.ts';

/** A planner that lacks something answers with a question instead of a plan. Null for every other answer. */
export function questionIn(proposal: Json): Question | null {
  // Nearly every answer is a plan, and is looked at as one later.
  if (!isJsonObject(proposal) || proposal['kind'] !== 'clarification_request') return null;
  const { data } = Proposal.safeParse(proposal);
  return data?.kind === 'clarification_request' ? missing(data.fields, [data.question]) : null;
}

/** The same said in passing. What is asked for by no name that can be answered is asked for in general. */
export function questionFrom(payload: Json): Question {
  const asked = typeof payload === 'object' && payload !== null && !Array.isArray(payload) ? payload : {};
  const proposed = questionIn({ ...asked, kind: 'clarification_request' });
  const named = questionIn({ kind: 'clarification_request', question: 'Which?', fields: payload });
  return proposed ?? missing(named?.fields ?? [], []);
}

const missing = (fields: readonly string[], readings: readonly string[]): Question => ({
  code: 'MISSING_INFO',
  fields: fields.length === 0 ? ['clarification'] : fields,
  readings,
});
