/** Proves what the boundary lets a model say. */
import { describe, expect, test } from 'vitest';
import { PROPOSAL_KINDS, type ProposalKind } from '../model/proposal.ts';
import { admitProposal } from './boundary.ts';

const RIGHTS: readonly ProposalKind[] = ['plan', 'clarification_request'];

describe('what a model may propose', () => {
  test('are six kinds', () => {
    expect(PROPOSAL_KINDS.map((kind) => admitProposal(kind))).toEqual([
      { ok: true, kind: 'plan' },
      { ok: true, kind: 'next_step' },
      { ok: true, kind: 'tool_arguments' },
      { ok: true, kind: 'observation_summary' },
      { ok: true, kind: 'clarification_request' },
      { ok: true, kind: 'escalation_recommendation' },
    ]);
  });

  test.each(['execute', 'set_state', 'approve', 'PLAN', '', '__proto__', 'length'])('"%s" is outside', (kind) => {
    expect(admitProposal(kind)).toMatchObject({ ok: false, code: 'proposal_outside_boundary' });
  });

  test('are fewer where the boundary leaves fewer', () => {
    expect(admitProposal('plan', RIGHTS).ok).toBe(true);
    expect(admitProposal('next_step', RIGHTS).ok).toBe(false);
  });
});
