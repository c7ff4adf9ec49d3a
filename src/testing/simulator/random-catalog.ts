import type { DecisionSpec } from '../../model/decision.ts';
import type { ToolSpec } from '../../model/tool.ts';
import type { Prng } from './prng.ts';

/** Up to two decisions, each in front of some tools and asking for evidence that other tools may supply. */
export function randomCatalog(prng: Prng, tools: readonly ToolSpec[]): ReadonlyMap<string, DecisionSpec> {
  const catalog = new Map<string, DecisionSpec>();
  const count = prng.pick([0, 0, 1, 2]);
  for (let place = 1; place <= count; place += 1) {
    const [governed, ...others] = prng.chance(0.5) ? tools : tools.toReversed();
    if (governed === undefined) break;
    const supplied = others.flatMap(({ produces }) => produces);
    catalog.set(`decision.${place}`, {
      decision_id: `decision.${place}`,
      version: '1',
      description: 'A simulated decision',
      evidence: [...new Set(prng.some(supplied, 0.3))],
      approvals: [],
      controls: [],
      evaluators: [],
      accept_threshold: 0.8,
      risk_class: 'moderate',
      actions: [governed.name],
    });
  }
  return catalog;
}
