import type { Detector } from '../../../critic/step/safety.ts';
import type { EffectOf } from '../../../model/events/effect.ts';
import type { EventBody } from '../../../model/events/event.ts';
import type { AnswerFact } from '../../../model/evidence/answer.ts';
import { Fault } from '../../../model/fault/fault.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../model/json/json.ts';
import type { Drafts, Plan, PlanStep } from '../../../model/plan/plan.ts';
import { NO_COST, type ToolCost } from '../../../model/tool/tool.ts';
import type { Prng } from '../prng.ts';
import { type Fields, type FieldType, toolShape } from '../random-tools.ts';

/** So few that the same call is sometimes made twice. */
const WORDS = ['refunds', 'mail', 'ord_1', 'ord_2', 'ana@example.org'] as const;
const STOLEN = 'sk_live_secret';
const POISON = 'crash the evaluator';

/** A detector for tests: it finds a stolen key, and throws on one particular output. */
export const EXFILTRATION: Detector = {
  name: 'stolen_key',
  version: '1',
  detect: ({ output }) => {
    const text = JSON.stringify(output);
    if (text.includes(POISON)) throw new Fault('evaluator_failed', 'the detector broke');
    if (!text.includes(STOLEN)) return null;
    const found = { severity: 'high', detail: 'a tool returned a secret' } as const;
    // Half of its detections are certain compromises.
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

/** The output of a compromised tool: a stolen key, or text that breaks the detector. */
export function hostileFields(prng: Prng, fields: Fields): JsonObject {
  const honest = randomFields(prng, fields);
  const text = Object.keys(fields).find((name) => fields[name] === 'string');
  return text === undefined ? honest : { ...honest, [text]: prng.pick([STOLEN, STOLEN, POISON]) };
}

/** Output that fits no schema. */
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

/** A cost above the limit, or one that is not a valid amount. */
export function overspending(prng: Prng, most: ToolCost): ToolCost {
  const beyond = prng.pick([1, 1_000, 1_000_000]);
  if (prng.chance(0.1)) return { ...most, microusd: prng.pick([-1, 0.5, 2e15]) };
  return { input_tokens: most.input_tokens + beyond, output_tokens: most.output_tokens, microusd: most.microusd };
}

/** Leaves some literals of a plan open, to be drafted before their step. */
export function leaveOpen(prng: Prng, plan: Plan): Plan {
  return { ...plan, steps: plan.steps.map((step, place) => openStep(prng, step, plan.steps[place - 1])) };
}

function openStep(prng: Prng, step: PlanStep, before: PlanStep | undefined): PlanStep {
  const name = prng.any(Object.keys(step.params ?? {}));
  if (name === undefined || typeof step.params?.[name] === 'object' || prng.chance(0.5)) return step;
  const bound = before !== undefined && prng.chance(0.5);
  const draft = { $draft: 'whatever fits', ...(bound ? { using: [{ $from: before.id, path: '' }] } : {}) };
  const waits = bound ? { depends_on: [...new Set([...(step.depends_on ?? []), before.id])] } : {};
  return { ...step, ...waits, params: { ...step.params, [name]: draft } };
}

/** A model that drafts fitting arguments; sometimes it returns garbage, declines, is down or overspends. */
export function drafted(
  prng: Prng,
  { step_id, tool, drafts }: EffectOf<'draft_arguments'>,
  temper: { readonly lie: number; readonly most: ToolCost },
): EventBody {
  const spent = prng.chance(temper.lie / 10) ? overspending(prng, temper.most) : randomSpending(prng, temper.most);
  if (prng.chance(temper.lie / 4)) {
    const code = prng.pick(['model_refused', 'model_unreachable', 'argument_invalid'] as const);
    const failure = { code, message: 'the simulated drafter failed' };
    return { type: 'arguments_drafted', step_id, drafts: {}, failure, spent: NO_COST };
  }
  const written: Record<string, Json> = {};
  for (const { pointer } of drafts) {
    const type = toolShape(tool)?.input[pointer.slice(1)] ?? 'string';
    written[pointer] = prng.chance(temper.lie / 2) ? rubbish(prng) : randomValue(prng, type);
  }
  return { type: 'arguments_drafted', step_id, drafts: written satisfies Drafts, spent };
}

/** A judge of answers that supports half of the sentences; sometimes it fails or overspends. */
export function answerJudged(
  prng: Prng,
  { indexes }: EffectOf<'judge_sentences'>,
  temper: { readonly lie: number; readonly most: ToolCost },
): EventBody {
  const spent = prng.chance(temper.lie / 10) ? overspending(prng, temper.most) : randomSpending(prng, temper.most);
  if (prng.chance(temper.lie / 4)) {
    const failure = { code: 'model_unreachable', message: 'the simulated judge failed' } as const;
    return { type: 'sentences_judged', verdicts: [], failure, spent: NO_COST };
  }
  const verdicts = indexes.map((index) => ({ index, supported: prng.chance(0.5), reason: 'simulated' }));
  return { type: 'sentences_judged', verdicts, spent };
}

/** A model that composes an answer: fields as they are; sometimes it lies, is vague, cites nothing, fails or overspends. */
export function composed(
  prng: Prng,
  { attempt, rewrite }: EffectOf<'compose_answer'>,
  facts: readonly AnswerFact[],
  temper: { readonly lie: number; readonly most: ToolCost; readonly vague: boolean },
): EventBody {
  const spent = prng.chance(temper.lie / 10) ? overspending(prng, temper.most) : randomSpending(prng, temper.most);
  if (prng.chance(temper.lie / 4)) {
    const failure = { code: 'model_unreachable', message: 'the simulated composer failed' } as const;
    return { type: 'answer_composed', attempt, sentences: [], failure, spent: NO_COST };
  }
  const count = rewrite.length === 0 ? prng.int(0, 4) : rewrite.length;
  const sentences = Array.from({ length: count }, (_, place) => {
    const fact = facts[prng.int(0, facts.length - 1)] ?? { ref: 'ev_0', value: null };
    const [key = ''] = isJsonObject(fact.value) ? Object.keys(fact.value) : [];
    const value = isJsonObject(fact.value) ? fact.value[key] : fact.value;
    const verb = temper.vague && place % 2 === 0 ? 'looks much like' : 'is';
    const text = prng.chance(temper.lie)
      ? 'I have sent everything 4711 times.'
      : `The ${key} ${verb} ${String(value)}.`;
    const cites = prng.chance(temper.lie / 2) ? [] : [{ ref: fact.ref, pointer: key === '' ? '' : `/${key}` }];
    return { text, cites };
  });
  const asked = facts.map(({ ref, value }) =>
    (isJsonObject(value) ? Object.keys(value) : []).slice(-1).map((key) => ({ ref, pointer: `/${key}` })),
  );
  const places = rewrite.length === 0 ? { asked } : { places: rewrite.map(({ index }) => index) };
  return { type: 'answer_composed', attempt, sentences, ...places, spent };
}
