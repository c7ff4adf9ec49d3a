import { describe, expect, test } from 'vitest';
import { PROPOSAL_KINDS, type ProposalKind } from '../../../model/plan/proposal.ts';
import { admitProposal } from './model-request.ts';

const RIGHTS: readonly ProposalKind[] = ['plan', 'clarification_request'];

describe('proposals of a model', () => {
  test('can be of six kinds', () => {
    expect(PROPOSAL_KINDS.map((kind) => admitProposal(kind))).toEqual([
      { ok: true, kind: 'plan' },
      { ok: true, kind: 'next_step' },
      { ok: true, kind: 'tool_arguments' },
      { ok: true, kind: 'observation_summary' },
      { ok: true, kind: 'clarification_request' },
      { ok: true, kind: 'escalation_recommendation' },
    ]);
  });

  test.each(['execute', 'set_state', 'approve', 'PLAN', '', '__proto__', 'length'])('"%s" is rejected', (kind) => {
    expect(admitProposal(kind)).toMatchObject({ ok: false, code: 'proposal_outside_boundary' });
  });

  test('can be limited by the boundary', () => {
    expect(admitProposal('plan', RIGHTS).ok).toBe(true);
    expect(admitProposal('next_step', RIGHTS).ok).toBe(false);
  });
});
