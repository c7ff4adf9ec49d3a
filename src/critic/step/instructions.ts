import { guardInput } from '../../model/fault/guard-input.ts';
import { isJsonList, type Json } from '../../model/json/json.ts';
import { pointerToken } from '../../model/json/pointer.ts';
import { brokenRules, findInjection, type TextRule } from '../../model/text/find-injection.ts';
import { plainText } from '../../model/text/plain-text.ts';
import type { Detection, Detector } from './safety.ts';

/** Phrases that never belong in a tool result, although a person may use them in a request. */
const ORDERS: readonly TextRule[] = [
  {
    name: 'policy_override',
    pattern:
      /\b(?:ignore|disregard|bypass|override|skip)\s(?:[\w'-]{1,30}\s){0,3}?(?:polic(?:y|ies)|approvals?|gates?|guardrails?)\b/u,
  },
  { name: 'call_order', pattern: /\b(?:call|run|execute|invoke)\s(?:the\s)?(?:tool\s|function\s)?[\w.-]{1,60}\(/u },
];

/** Signs of which one is enough for high severity, because they do not occur by accident. */
const GRAVE: ReadonlySet<string> = new Set(['tool_call_smuggling', 'exfiltration', 'hidden_text']);

/** Number of characters of a result that the detector reads. Provenance rules cover the rest. */
const READ_MAX = 200_000;

/**
 * Detects instructions in the output of an untrusted tool. Output is data and never obeyed. A single sign is recorded;
 * two signs, or one grave sign, end the run.
 */
export const instructionDetector: Detector = Object.freeze<Detector>({
  name: 'embedded_instructions',
  version: '1',
  detect: guardInput('detect', ({ tool, output }) => {
    if (tool.trusted || output === null) return null;
    const signs = new Map<string, string>();
    read(output, '', READ_MAX, signs);
    return signs.size === 0 ? null : detection(signs);
  }),
});

function detection(signs: ReadonlyMap<string, string>): Detection {
  const detail = Array.from(signs, ([name, place]) => `${name} at ${place === '' ? 'the result' : place}`).join(', ');
  const grave = signs.size > 1 || [...signs.keys()].some((name) => GRAVE.has(name));
  return grave ? { severity: 'high', detail } : { severity: 'low', detail, notedOnly: true };
}

function read(value: Json, place: string, left: number, signs: Map<string, string>): number {
  if (left <= 0) return 0;
  if (typeof value === 'string') {
    const text = value.slice(0, left);
    for (const name of [...findInjection(text), ...brokenRules(ORDERS, plainText(text))]) {
      if (!signs.has(name)) signs.set(name, place);
    }
    return left - text.length;
  }
  if (typeof value !== 'object' || value === null) return left - 1;
  const children = isJsonList(value) ? value.entries() : Object.entries(value);
  let rest = left;
  for (const [key, child] of children) rest = read(child, place + pointerToken(String(key)), rest, signs);
  return rest;
}
