import type { AgentSpec } from '../model/agent.ts';
import { Fault } from '../model/fault.ts';
import type { Goal } from '../model/goal.ts';
import { findInjection } from '../model/injection/find-injection.ts';
import type { IntentSpec } from '../model/intent.ts';
import { RISK_CLASSES, type RiskClass } from '../model/risk.ts';
import type { TerminalCode } from '../model/terminal-code.ts';
import type { Answer } from './answer.ts';
import { findPolicyBreach } from './platform-policy.ts';
import { rankIntents } from './rank-intents.ts';

export interface Classification {
  readonly goal: Goal;
  readonly agent: AgentSpec;
}

/**
 * Shared words are a hint and never more: a guess stays below any threshold at which a run should act on it, and the
 * user is asked.
 */
export const GUESS_CONFIDENCE_MAX = 0.5;

/** Says what kind of request a goal is, or why it is refused before anybody reads it. No model is asked. */
export function classifyIntent({ goal, agent }: Classification): Answer<'intent_classified'> | Answer<'stop_raised'> {
  const refusal = refusalOf(goal);
  if (refusal !== null) return refusal;
  const declared = agent.intents.find(({ intent }) => intent === goal.intent);
  return declared === undefined ? guess(goal, agent.intents) : classified(declared, declared.risk, 1, [declared]);
}

/** Criteria come from the same hand as the statement and are read by the same model. */
function refusalOf(goal: Goal): Answer<'stop_raised'> | null {
  if (!/[\p{L}\p{N}]/u.test(goal.statement)) return stop('MISSING_INFO', 'goal_unparseable', []);
  const text = [goal.statement, ...goal.acceptance_criteria.map(({ statement }) => statement)].join('\n');
  const injection = findInjection(text);
  if (injection.length > 0) return stop('UNSAFE_DETECTION', 'prompt_injection', injection);
  const breach = findPolicyBreach(text);
  return breach.length > 0 ? stop('UNSAFE_DETECTION', 'platform_policy', breach) : null;
}

/** The text itself stays out of the reason: it is in the goal, and a reason is shown where it might be read again. */
function stop(code: TerminalCode, reason: string, rules: readonly string[]): Answer<'stop_raised'> {
  return { type: 'stop_raised', stop: { code, reason, ...(rules.length === 0 ? {} : { detail: { rules } }) } };
}

/** The best reading, but with the risk of the worst: whichever one the user picks, it is not taken too lightly. */
function guess(goal: Goal, intents: readonly IntentSpec[]): Answer<'intent_classified'> {
  const ranked = rankIntents(goal, intents);
  const alike = ranked.filter(({ overlap }) => overlap > 0);
  const readings = (alike.length > 0 ? alike : ranked).map(({ spec }) => spec);
  const [best] = ranked;
  if (best === undefined) throw new Fault('input_invalid', 'the agent declares no intent', { path: '/intents' });
  return classified(best.spec, highest(readings), best.overlap * GUESS_CONFIDENCE_MAX, readings);
}

function highest(readings: readonly IntentSpec[]): RiskClass {
  const rank = Math.max(...readings.map(({ risk }) => RISK_CLASSES.indexOf(risk)));
  return RISK_CLASSES[rank] ?? 'critical';
}

function classified(
  spec: IntentSpec,
  risk: RiskClass,
  confidence: number,
  readings: readonly IntentSpec[],
): Answer<'intent_classified'> {
  const { intent, task_class, modality, capability } = spec;
  const candidates = readings.map((reading) => reading.intent);
  const found = {
    type: 'intent_classified',
    intent,
    task_class,
    risk,
    modality,
    capability,
    confidence,
    candidates,
  } as const;
  // Whichever reading it turns out to be, regulated work is not taken for ordinary work.
  return readings.some(({ regulated }) => regulated === true) ? { ...found, regulated: true } : found;
}
