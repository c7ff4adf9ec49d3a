import { gatePolicy } from '../../kernel/index.ts';
import { approvalsFor } from '../../model/critic/decision.ts';
import { BOUNDARY_GATE } from '../../model/policy/boundary.ts';
import {
  type ExplainedLine,
  type ExplainedSection,
  type ExplainFacts,
  formatMs,
  joinNames,
  optionLine,
  statedLine,
} from './explanation.ts';

/** The gates at which calls of this agent may wait. */
function gatesOf({ assembled: { pins } }: ExplainFacts): readonly string[] {
  const { needs_approval } = pins.agent.boundary.tools;
  const gates = pins.registry.tools.flatMap((tool) => [...tool.gates, ...approvalsFor(pins.env.catalog, tool.name)]);
  return [...new Set([...gates, ...(needs_approval.length === 0 ? [] : [BOUNDARY_GATE])])].toSorted();
}

/** Who decides each gate, and how long it waits. */
export function explainGates(facts: ExplainFacts): ExplainedSection {
  const { env } = facts.assembled.pins;
  const lines = gatesOf(facts).flatMap((gate): readonly ExplainedLine[] => {
    const stated = env.gates.get(gate) ?? {};
    const { roles, quorum, separation, ttlMs } = gatePolicy(env, gate);
    const option = `world.policy.gates.${gate}`;
    return [
      optionLine(stated.roles !== undefined, {
        name: `${gate} is decided by`,
        value: `${roles.length === 0 ? 'any identified person' : `a person with role ${roles.join(' or ')}`}, never by the requester`,
        option: `${option}.roles`,
        why: 'a gate that names no role is open to every identified person',
      }),
      optionLine(stated.quorum !== undefined && stated.separation !== undefined, {
        name: `${gate} needs`,
        value: `${quorum} ${quorum === 1 ? 'approval' : 'approvals'}${separation ? ', of a person who decided no other gate of the call' : ''}`,
        option: `${option}.quorum and .separation`,
        why: 'one approval suffices until you ask for more',
      }),
      optionLine(stated.ttlMs !== undefined || facts.isStated('limits.gateTtlMs'), {
        name: `${gate} waits`,
        value: formatMs(ttlMs),
        option: `${option}.ttlMs`,
        why: 'the time limit of all gates, `limits.gateTtlMs`',
      }),
    ];
  });
  return { title: 'Gates', lines: [...lines, approverLine(facts)] };
}

function approverLine({ options, isStated }: ExplainFacts): ExplainedLine {
  const { keys, authenticator } = options.world?.policy?.approvers ?? {};
  const proofs = [...(keys == null ? [] : ['signing keys']), ...(authenticator == null ? [] : ['your authenticator'])];
  return optionLine(isStated('world.policy.approvers'), {
    name: 'approvers prove who they are by',
    value: joinNames(proofs, 'nothing: the runtime trusts the name that its process passes'),
    option: 'world.policy.approvers',
    why: 'fine on your own machine; enrol keys or set an authenticator for production',
  });
}

/** The decisions of the catalogue, each with its preconditions. */
export function explainDecisions({ assembled, isStated }: ExplainFacts): ExplainedSection {
  const decisions = [...assembled.pins.env.catalog.values()];
  const none = optionLine(isStated('decisions'), {
    name: 'decisions',
    value: 'none',
    option: 'decisions',
    why: 'only gates and the boundary hold calls back',
  });
  const lines = decisions.map(
    ({ decision_id, description, actions, approvals, evidence, risk_class, accept_threshold }) => {
      const parts = [
        description,
        `governs ${joinNames(actions, 'no tool')}`,
        `needs gates: ${joinNames(approvals)}`,
        `evidence: ${joinNames(evidence)}`,
        `risk ${risk_class}`,
        `accepted from ${accept_threshold}`,
      ];
      return statedLine(`decision ${decision_id}`, parts.join('; '), 'decisions');
    },
  );
  return { title: 'Decisions', lines: lines.length === 0 ? [none] : lines };
}
