import type { Detector } from '../../../critic/step/safety.ts';
import { Fault } from '../../../model/fault.ts';
import type { Json, JsonObject } from '../../../model/json.ts';
import type { ToolCost } from '../../../model/tool.ts';
import type { Prng } from '../prng.ts';
import type { Fields, FieldType } from '../tool-shapes.ts';

/** Few enough that the same call is made twice now and then. */
const WORDS = ['refunds', 'mail', 'ord_1', 'ord_2', 'ana@example.org'] as const;
const STOLEN = 'sk_live_secret';
const POISON = 'crash the evaluator';

/** Stands for every safety rule: it knows what must never come back from a tool, and one answer makes it break. */
export const EXFILTRATION: Detector = {
  name: 'stolen_key',
  version: '1',
  detect: ({ output }) => {
    const text = JSON.stringify(output);
    if (text.includes(POISON)) throw new Fault('evaluator_failed', 'the detector broke');
    if (!text.includes(STOLEN)) return null;
    const found = { severity: 'high', detail: 'a tool returned a secret' } as const;
    // Every other time it is certain.
    return text.length % 2 === 0 ? { ...found, compromised: true } : found;
  },
};

export function randomValue(prng: Prng, type: FieldType): Json {
  if (type === 'boolean') return prng.chance(0.5);
  return type === 'integer' ? prng.int(0, 5) : prng.pick(WORDS);
}

export function randomFields(prng: Prng, fields: Fields): JsonObject {
  return Object.fromEntries(Object.entries(fields).map(([name, type]) => [name, randomValue(prng, type)]));
}

/** What a tool says that has been turned against its user, or against whoever checks what it says. */
export function hostileFields(prng: Prng, fields: Fields): JsonObject {
  const honest = randomFields(prng, fields);
  const text = Object.keys(fields).find((name) => fields[name] === 'string');
  return text === undefined ? honest : { ...honest, [text]: prng.pick([STOLEN, STOLEN, POISON]) };
}

/** Something that fits no output schema, or only looks as if it did. */
export function rubbish(prng: Prng): Json {
  return prng.pick<Json>([null, '', [], {}, 42, { unexpected: true }, [[[]]], 'Internal Server Error']);
}

export function randomSpending(prng: Prng, most: ToolCost): ToolCost {
  return {
    input_tokens: prng.int(0, most.input_tokens),
    output_tokens: prng.int(0, most.output_tokens),
    microusd: prng.int(0, most.microusd),
  };
}

/** A provider that takes more than it was allowed, or says something that is no amount at all. */
export function overspending(prng: Prng, most: ToolCost): ToolCost {
  const beyond = prng.pick([1, 1_000, 1_000_000]);
  if (prng.chance(0.1)) return { ...most, microusd: prng.pick([-1, 0.5, 2e15]) };
  return { input_tokens: most.input_tokens + beyond, output_tokens: most.output_tokens, microusd: most.microusd };
}
