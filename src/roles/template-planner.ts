import { Fault } from '../model/fault.ts';
import { isJsonList, type Json, type JsonObject } from '../model/json.ts';
import { Name } from '../model/name.ts';
import type { Plan } from '../model/plan.ts';
import type { Proposal } from '../model/proposal.ts';
import { NO_COST } from '../model/tool.ts';
import type { PlanAnswer, Planner, PlanRequest } from '../ports/planner.ts';

/** Plans by intent. A value may be a slot, `{ "$slot": "order_id" }`, filled from what the caller gave. */
export type PlanTemplates = Readonly<Record<string, Plan>>;

/** The planner without a model: host code has written every plan there is, and only the blanks are filled in. */
export function templatePlanner(templates: PlanTemplates): Planner {
  return {
    written: templates,
    propose: async (request) => ({ ...propose(templates, request), author: 'host', spent: NO_COST, contextTokens: 0 }),
  };
}

function propose(templates: PlanTemplates, { goal, inputs }: PlanRequest): Pick<PlanAnswer, 'proposal'> {
  const template = Object.hasOwn(templates, goal.intent) ? templates[goal.intent] : undefined;
  if (template === undefined) throw new Fault('planner_failed', `there is no plan template for ${goal.intent}`);
  const missing = new Set<string>();
  const plan = fill(template as unknown as Json, inputs, missing);
  return { proposal: missing.size === 0 ? plan : askFor([...missing]) };
}

/** A blank that nobody has filled is no fault of whoever wrote the plan: the user is asked for all of them at once. */
function askFor(fields: readonly string[]): Proposal {
  return { kind: 'clarification_request', question: `The plan needs ${fields.join(', ')}.`, fields };
}

function fill(value: Json, inputs: JsonObject, missing: Set<string>): Json {
  if (typeof value !== 'object' || value === null) return value;
  if (isJsonList(value)) return value.map((item) => fill(item, inputs, missing));
  const slot = value['$slot'];
  if (typeof slot !== 'string') {
    return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, fill(child, inputs, missing)]));
  }
  const given = Object.hasOwn(inputs, slot) ? inputs[slot] : undefined;
  if (given !== undefined) return given;
  if (!Name.safeParse(slot).success) throw new Fault('planner_failed', `"${slot}" is no name to ask for a value by`);
  missing.add(slot);
  return null;
}
