import type { AmbitOptions } from '../../agent/options.ts';
import type { HostOptions } from '../../session/host.ts';
import { explainBoundary } from './boundary-lines.ts';
import { explainBudget } from './budget-lines.ts';
import { type AgentExplanation, type ExplainedSection, type ExplainFacts, explainFacts } from './explanation.ts';
import { explainDecisions, explainGates } from './gate-lines.ts';
import { explainLimits } from './limit-lines.ts';
import { explainModels } from './model-lines.ts';
import { explainRequests, explainSettings, explainStore } from './setting-lines.ts';
import { explainTools } from './tool-lines.ts';
import { explainUsers } from './user-lines.ts';

/** The sections of an explanation, in the order in which they are shown. */
const SECTIONS: readonly ((facts: ExplainFacts) => ExplainedSection | readonly ExplainedSection[])[] = [
  explainSettings,
  explainModels,
  explainRequests,
  explainTools,
  explainUsers,
  explainBoundary,
  explainGates,
  explainDecisions,
  explainBudget,
  explainLimits,
  explainStore,
];

/** Explains an agent from the parts that `ambit()` runs. No rule is repeated here: each value is read or asked for. */
export function explainAgent(options: AmbitOptions, assembled: HostOptions): AgentExplanation {
  const facts = explainFacts(options, assembled);
  return { agent: assembled.pins.agent.name, sections: SECTIONS.flatMap((section) => section(facts)) };
}
