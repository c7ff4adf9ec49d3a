import { Fault } from '../model/fault/fault.ts';
import type { TerminalCode } from '../model/fault/terminal-code.ts';
import type { Goal } from '../model/plan/goal.ts';
import type { IntentSpec } from '../model/plan/intent.ts';
import { RISK_CLASSES, type RiskClass } from '../model/policy/risk.ts';
import type { AgentSpec } from '../model/run/agent.ts';
import { answerCourtesy } from '../model/text/courtesy.ts';
import { brokenRules, findInjection, type TextRule } from '../model/text/find-injection.ts';
import { plainText } from '../model/text/plain-text.ts';
import type { IntakeAnswer } from './check-policy.ts';

interface Classification {
  readonly goal: Goal;
  readonly agent: AgentSpec;
}

/**
 * The highest confidence of a guess by shared words. It is below any threshold for acting, so the user is always asked.
 */
export const GUESS_CONFIDENCE_MAX = 0.5;

/** Classifies a goal without a model, or refuses it before any model reads it. */
export function classifyIntent({
  goal,
  agent,
}: Classification): IntakeAnswer<'intent_classified'> | IntakeAnswer<'stop_raised'> {
  const refusal = refusalOf(goal);
  if (refusal !== null) return refusal;
  const text = goal.call === undefined ? answerCourtesy(goal.statement, agent.intents) : null;
  // A greeting asks for nothing, so it needs neither an intent nor a plan.
  if (text !== null)
    return { type: 'stop_raised', stop: { code: 'SUCCESS', reason: 'answered_directly', detail: { text } } };
  const declared = agent.intents.find(({ intent }) => intent === goal.intent);
  return declared === undefined ? guess(goal, agent.intents) : classified(declared, declared.risk, 1, [declared]);
}

/** Checks the statement and the criteria, which the same model will read. */
function refusalOf(goal: Goal): IntakeAnswer<'stop_raised'> | null {
  if (!/[\p{L}\p{N}]/u.test(goal.statement)) return stop('MISSING_INFO', 'goal_unparseable', []);
  const text = [goal.statement, ...goal.acceptance_criteria.map(({ statement }) => statement)].join('\n');
  const injection = findInjection(text);
  if (injection.length > 0) return stop('UNSAFE_DETECTION', 'prompt_injection', injection);
  const breach = findPolicyBreach(text);
  return breach.length > 0 ? stop('UNSAFE_DETECTION', 'platform_policy', breach) : null;
}

/** Builds the stop. The goal's text stays out of the reason, because a reason may be shown to a model again. */
function stop(code: TerminalCode, reason: string, rules: readonly string[]): IntakeAnswer<'stop_raised'> {
  return { type: 'stop_raised', stop: { code, reason, ...(rules.length === 0 ? {} : { detail: { rules } }) } };
}

/** Guesses the intent, with the highest risk of all candidates, because the user may choose any of them. */
function guess(goal: Goal, intents: readonly IntentSpec[]): IntakeAnswer<'intent_classified'> {
  const ranked = rankIntents(goal, intents);
  const alike = ranked.filter(({ overlap }) => overlap > 0);
  // A single candidate would be no choice, so all intents are offered then.
  const readings = (alike.length > 1 ? alike : ranked).map(({ spec }) => spec);
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
): IntakeAnswer<'intent_classified'> {
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
  // Regulated if any reading is, because the choice is still open.
  return readings.some(({ regulated }) => regulated === true) ? { ...found, regulated: true } : found;
}

/**
 * Requests that no organisation can allow, because they would break the product's guarantees: a run cannot be asked to
 * evade its own controls or to leave no record. Requests about other systems' controls are ordinary work.
 */
// biome-ignore format: a table is read by its columns, one wording a line
export const PLATFORM_RULES: readonly TextRule[] = [
  { name: 'control_evasion', pattern: /\b(?:bypass|circumvent|evade|skip|disable|deactivate|turn off|switch off|work around|get around|go around)\s(?:[\w'-]{1,30}\s){0,3}?(?:your|the agent's|this run's|the runtime's)\s(?:[\w'-]{1,30}\s){0,2}?(?:approvals?|gates?|safety|guardrails?|restrictions?|permissions?|budgets?|limits?|caps?|audit|logging|monitoring|boundary|boundaries|kill switch)\b/u },
  { name: 'unrecorded_run', pattern: /\b(?:do not|don't|never|without) (?:log|logging|record|recording|journal|journaling|audit|auditing|trace|tracing) (?:this|these|any of these|your) (?:run|request|actions?|steps?)\b/u },
  { name: 'unrecorded_run', pattern: /\b(?:delete|erase|wipe|clear|edit|alter|tamper with) (?:your|this run's|the agent's) (?:own )?(?:journal|trace|audit log|audit trail|logs?)\b/u },
];

export function findPolicyBreach(text: string): readonly string[] {
  return brokenRules(PLATFORM_RULES, plainText(text));
}

interface RankedIntent {
  readonly spec: IntentSpec;
  /** The share of the goal's words that the intent has too, from 0 to 1. */
  readonly overlap: number;
}

/** Shorter words carry no meaning of their own. */
const WORD_LENGTH_MIN = 3;

/** Ranks an agent's intents by the words they share with a goal, best first; ties keep the order of declaration. */
function rankIntents(goal: Goal, intents: readonly IntentSpec[]): readonly RankedIntent[] {
  const wanted = wordsOf(`${goal.intent} ${goal.statement}`);
  const ranked = intents.map((spec) => ({
    spec,
    overlap: share(wanted, wordsOf(`${spec.intent} ${spec.description}`)),
  }));
  return ranked.toSorted((a, b) => b.overlap - a.overlap);
}

function wordsOf(text: string): ReadonlySet<string> {
  const words = plainText(text).match(/[\p{L}\p{N}]+/gu) ?? [];
  return new Set(words.filter((word) => word.length >= WORD_LENGTH_MIN));
}

function share(wanted: ReadonlySet<string>, offered: ReadonlySet<string>): number {
  return wanted.size === 0 ? 0 : [...wanted].filter((word) => offered.has(word)).length / wanted.size;
}
