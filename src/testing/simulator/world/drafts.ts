import type { Drafts } from '../../../model/draft.ts';
import type { EffectOf } from '../../../model/effect.ts';
import type { EventBody } from '../../../model/event.ts';
import type { Json } from '../../../model/json.ts';
import type { Plan, PlanStep } from '../../../model/plan.ts';
import { NO_COST, type ToolCost } from '../../../model/tool.ts';
import type { Prng } from '../prng.ts';
import { shapeOf } from '../tool-shapes.ts';
import { overspending, randomSpending, randomValue, rubbish } from './answers.ts';

/** Leaves some literals of a plan to be written when their step comes up. */
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

/** A model that writes what fits; now and then it raves, declines, is down or takes too much. */
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
    const type = shapeOf(tool)?.input[pointer.slice(1)] ?? 'string';
    written[pointer] = prng.chance(temper.lie / 2) ? rubbish(prng) : randomValue(prng, type);
  }
  return { type: 'arguments_drafted', step_id, drafts: written satisfies Drafts, spent };
}
