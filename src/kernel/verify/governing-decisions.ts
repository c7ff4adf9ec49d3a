import type { DecisionSpec } from '../../model/decision.ts';

type Catalog = ReadonlyMap<string, DecisionSpec>;

/** The decisions of the catalogue by the tools they govern, made once where many tools are asked about. */
export function decisionsByTool(catalog: Catalog): ReadonlyMap<string, readonly DecisionSpec[]> {
  const governing = new Map<string, DecisionSpec[]>();
  for (const decision of catalog.values()) {
    for (const tool of new Set(decision.actions)) {
      const decisions = governing.get(tool);
      if (decisions === undefined) governing.set(tool, [decision]);
      else decisions.push(decision);
    }
  }
  return governing;
}

/** The gates that decisions of the catalogue put before a tool, whatever the tool and the plan ask for themselves. */
export function approvalsFor(catalog: Catalog, tool: string): readonly string[] {
  let gates = NO_GATES;
  for (const { actions, approvals } of catalog.values()) {
    if (approvals.length > 0 && actions.includes(tool)) gates = [...new Set([...gates, ...approvals])];
  }
  return gates;
}

const NO_GATES: readonly string[] = Object.freeze([]);

/** What a result of this tool must score: the rubric's own threshold, or a stricter one of a decision that governs it. */
export function acceptThreshold(catalog: Catalog, tool: string, usual: number): number {
  let accept = usual;
  for (const { actions, accept_threshold } of catalog.values()) {
    if (accept_threshold > accept && actions.includes(tool)) accept = accept_threshold;
  }
  return accept;
}
