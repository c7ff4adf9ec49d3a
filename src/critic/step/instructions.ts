import { findInjection } from '../../model/injection/find-injection.ts';
import { plainText } from '../../model/injection/plain-text.ts';
import { brokenRules, type TextRule } from '../../model/injection/text-rule.ts';
import { isJsonList, type Json } from '../../model/json.ts';
import { pointerToken } from '../../model/pointer.ts';
import type { Detection, Detector } from './safety.ts';

/** Nothing that a tool returns has any business saying this, whereas a person may well ask for it. */
const ORDERS: readonly TextRule[] = [
  {
    name: 'policy_override',
    pattern:
      /\b(?:ignore|disregard|bypass|override|skip)\s(?:[\w'-]{1,30}\s){0,3}?(?:polic(?:y|ies)|approvals?|gates?|guardrails?)\b/u,
  },
  { name: 'call_order', pattern: /\b(?:call|run|execute|invoke)\s(?:the\s)?(?:tool\s|function\s)?[\w.-]{1,60}\(/u },
];

/** One of these is enough: a call in disguise, or secrets on their way out, is no slip of the tongue. */
const GRAVE: ReadonlySet<string> = new Set(['tool_call_smuggling', 'exfiltration', 'hidden_text']);

/** So much of a result is read; what lies beyond is data like the rest, and provenance holds for all of it. */
const READ_MAX = 200_000;

/**
 * Recognises instructions in what an untrusted tool returned. They are data and nothing obeys them; that they are there
 * is noted, and where two signs come together, or one that is grave, the run ends before anybody reads on.
 */
export const instructionDetector: Detector = Object.freeze<Detector>({
  name: 'embedded_instructions',
  version: '1',
  detect: ({ tool, output }) => {
    if (tool.trusted || output === null) return null;
    const signs = new Map<string, string>();
    read(output, '', READ_MAX, signs);
    return signs.size === 0 ? null : detection(signs);
  },
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
