import { PROPOSAL_KINDS, type ProposalKind } from '../model/proposal.ts';

export type Admission =
  | { readonly ok: true; readonly kind: ProposalKind }
  | { readonly ok: false; readonly code: 'proposal_outside_boundary'; readonly message: string };

/** A model may say six kinds of things, and of those the ones its boundary leaves it. The rest is not heard. */
export function admitProposal(kind: string, rights: readonly ProposalKind[] = PROPOSAL_KINDS): Admission {
  const right = rights.find((each) => each === kind);
  if (right !== undefined) return { ok: true, kind: right };
  return { ok: false, code: 'proposal_outside_boundary', message: `a model may propose ${rights.join(', ')}` };
}
