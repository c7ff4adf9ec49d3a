import { Fault } from '../model/fault/fault.ts';
import { guardInput } from '../model/fault/guard-input.ts';
import type { Json } from '../model/json/json.ts';
import type { Plan } from '../model/plan/plan.ts';
import type { Proposal } from '../model/plan/proposal.ts';
import { NO_COST } from '../model/tool/tool.ts';
import type { PlanAnswer, Planner, PlanRequest } from '../ports/model/planner.ts';
import { fillSlots, type SlotForm, slotsByStep } from './fill-slots.ts';
import { SPEAKING_TOOLS } from './speaking-tools.ts';

/** Plans by intent. A value may be a slot, e.g. `{ "$slot": "order_id" }`, that an input of the run fills. */
export type PlanTemplates = Readonly<Record<string, Plan>>;

/** Creates a planner without a model: the host has written every plan, and only slots are filled. */
export const templatePlanner: (templates: PlanTemplates) => Planner = guardInput(
  'templatePlanner',
  (templates: PlanTemplates): Planner => {
    const named = new Set(Object.values(templates).flatMap((plan) => plan?.steps?.map((step) => step?.tool) ?? []));
    return {
      written: templates,
      tools: SPEAKING_TOOLS.filter(({ spec }) => named.has(spec.name)),
      propose: async (request) => ({
        ...propose(templates, request),
        author: 'host',
        spent: NO_COST,
        contextTokens: 0,
      }),
    };
  },
);

function propose(templates: PlanTemplates, { goal, inputs }: PlanRequest): Pick<PlanAnswer, 'proposal' | 'filled'> {
  const template = Object.hasOwn(templates, goal.intent) ? templates[goal.intent] : undefined;
  if (template === undefined) throw new Fault('planner_failed', `there is no plan template for ${goal.intent}`);
  const form: SlotForm = { inputs, missing: new Set(), places: [] };
  const plan = fillSlots(form, template as unknown as Json, '');
  if (form.missing.size > 0) return { proposal: askFor([...form.missing]) };
  return { proposal: plan, filled: slotsByStep(template, form.places) };
}

/** Asks the user for all missing inputs at once. */
function askFor(fields: readonly string[]): Proposal {
  return { kind: 'clarification_request', question: `The plan needs ${fields.join(', ')}.`, fields };
}
