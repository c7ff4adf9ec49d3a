import { isJsonObject, type Json } from '../../../model/json/json.ts';
import { PROPOSAL_KINDS, Proposal, type ProposalKind } from '../../../model/plan/proposal.ts';
import type { CompiledGraph } from '../../graph/compiled-graph.ts';
import type { UserQuestion } from '../../state/people-state.ts';

/** Reads the question of a planner that answers with one instead of a plan. Null for every other answer. */
export function readQuestion(proposal: Json): UserQuestion | null {
  // Nearly every answer is a plan and is parsed as one later.
  if (!isJsonObject(proposal) || proposal['kind'] !== 'clarification_request') return null;
  const { data } = Proposal.safeParse(proposal);
  return data?.kind === 'clarification_request' ? missingInfo(data.fields, [data.question]) : null;
}

/** Reads a clarification request in any shape. Without valid field names it asks for a general clarification. */
export function questionFromPayload(payload: Json): UserQuestion {
  const payloadFields = typeof payload === 'object' && payload !== null && !Array.isArray(payload) ? payload : {};
  const fullQuestion = readQuestion({ ...payloadFields, kind: 'clarification_request' });
  const fieldsQuestion = readQuestion({ kind: 'clarification_request', question: 'Which?', fields: payload });
  return fullQuestion ?? missingInfo(fieldsQuestion?.fields ?? [], []);
}

const missingInfo = (fields: readonly string[], readings: readonly string[]): UserQuestion => ({
  code: 'MISSING_INFO',
  fields: fields.length === 0 ? ['clarification'] : fields,
  readings,
});

type Admission =
  | { readonly ok: true; readonly kind: ProposalKind }
  | { readonly ok: false; readonly code: 'proposal_outside_boundary'; readonly message: string };

/** Admits a proposal of the six kinds if the boundary grants that kind. */
export function admitProposal(kind: string, rights: readonly ProposalKind[] = PROPOSAL_KINDS): Admission {
  const right = rights.find((each) => each === kind);
  if (right !== undefined) return { ok: true, kind: right };
  return { ok: false, code: 'proposal_outside_boundary', message: `a model may propose ${rights.join(', ')}` };
}

type RequestRuling = 'granted' | 'no_such_edge' | 'not_a_choice' | 'guard_does_not_hold';

/**
 * Rules on a model's request to move to another node. A model may take the edges that are its choice and whose guard
 * holds. It cannot take an edge of the orchestrator or add one.
 */
export function ruleOnRequest<S>(
  graph: CompiledGraph<S>,
  request: { readonly from: string; readonly to: string },
  state: S,
): RequestRuling {
  const guard = graph.edge(request.from, request.to);
  if (guard === null) return 'no_such_edge';
  if (!graph.choices(request.from).includes(request.to)) return 'not_a_choice';
  return guard(state) ? 'granted' : 'guard_does_not_hold';
}
