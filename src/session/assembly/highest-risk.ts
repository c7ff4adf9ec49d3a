import type { AgentSpec } from '../../model/agent.ts';
import { RISK_CLASSES, type RiskClass } from '../../model/risk.ts';

/** One rubric a run, pinned at its start: the strictest that any intent of the agent asks for. */
export function highestRisk(agent: AgentSpec): RiskClass {
  const ranks = agent.intents.map(({ risk }) => RISK_CLASSES.indexOf(risk));
  return RISK_CLASSES[Math.max(0, ...ranks)] ?? 'critical';
}
