/** Tests that a higher tier than needed must be justified before any model call. */
import { expect } from 'vitest';
import { ambit } from '../../../src/compose.ts';
import type { AgentSpec } from '../../../src/model/run/agent.ts';
import type { BoundTool } from '../../../src/ports/bound-tool.ts';
import { verifies } from '../../requirements/verifies.ts';
import { agentFor, toolSpec } from '../rig.ts';

const finish: BoundTool = { spec: toolSpec('finish', { produces: ['done'] }), execute: () => ({ ok: true }) };

const compose = (autonomy: Partial<AgentSpec['autonomy']>): unknown => {
  const agent = agentFor(['finish']);
  const propose = (): never => {
    throw new Error('must not be called');
  };
  return ambit({
    agent: { ...agent, autonomy: { ...agent.autonomy, ...autonomy } },
    tools: [finish],
    planner: { propose },
  });
};

verifies(
  'ladder:selection:lowest-sufficient-tier',
  'tier 6 for static branching needs a reason for every lower tier',
  () => {
    const needs = ['static_branching'];
    const reasons = [3, 4, 5].map((rank) => ({ rank, why: `tier ${rank} was tried and failed` }));
    expect(() => compose({ needs, tier: 6 })).toThrow(expect.objectContaining({ code: 'tier_unjustified' }));
    expect(() => compose({ needs, tier: 6, reasons: reasons.slice(1) })).toThrow(/why tier 3 would not do/);
    expect(() => compose({ needs, tier: 6, reasons })).not.toThrow();
    expect(() => compose({ needs: ['dynamic_plan'], tier: 3 })).toThrow(
      expect.objectContaining({ code: 'tier_not_allowed' }),
    );
  },
);
