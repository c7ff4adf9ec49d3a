import { HIDDEN_TEXT_RULES, INJECTION_RULES } from './injection-rules.ts';
import { plainText } from './plain-text.ts';
import { brokenRules } from './text-rule.ts';

/**
 * What in a text is worded to take over its reader, by the names of the rules. Deterministic, and only about wording:
 * a harmful wish in plain words breaks no rule here. That is what boundaries, gates and provenance are for.
 */
export function findInjection(text: string): readonly string[] {
  return [...brokenRules(INJECTION_RULES, plainText(text)), ...brokenRules(HIDDEN_TEXT_RULES, text)];
}
