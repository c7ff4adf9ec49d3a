import { plainText } from '../model/injection/plain-text.ts';
import { brokenRules, type TextRule } from '../model/injection/text-rule.ts';

/**
 * What no organisation can allow, because it would take away what this product promises: a run cannot be asked to go
 * around its own controls or to leave no record. A goal about somebody else's controls is ordinary work.
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
