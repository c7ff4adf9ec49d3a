import type { FilledSlots } from '../model/evidence/origin.ts';
import { Fault } from '../model/fault/fault.ts';
import { holdsObject, isJsonList, type Json, type JsonObject } from '../model/json/json.ts';
import { Name } from '../model/json/name.ts';
import { pointerToken } from '../model/json/pointer.ts';
import { printable } from '../model/json/printable.ts';
import type { Plan } from '../model/plan/plan.ts';
import type { Proposal } from '../model/plan/proposal.ts';
import { higherCost, NO_COST } from '../model/tool/tool.ts';
import type { PlanAnswer, Planner, PlanRequest } from '../ports/model/planner.ts';
import { SPEAKING_TOOLS } from './speaking-tools.ts';

/** Plans by intent. A value may be a slot, e.g. `{ "$slot": "order_id" }`, that an input of the run fills. */
export type PlanTemplates = Readonly<Record<string, Plan>>;

/** Creates a planner without a model: the host has written every plan, and only slots are filled. */
export function templatePlanner(templates: PlanTemplates): Planner {
  const named = new Set(Object.values(templates).flatMap((plan) => plan?.steps?.map((step) => step?.tool) ?? []));
  return {
    written: templates,
    tools: SPEAKING_TOOLS.filter(({ spec }) => named.has(spec.name)),
    propose: async (request) => ({ ...propose(templates, request), author: 'host', spent: NO_COST, contextTokens: 0 }),
  };
}

function propose(templates: PlanTemplates, { goal, inputs }: PlanRequest): Pick<PlanAnswer, 'proposal' | 'filled'> {
  const template = Object.hasOwn(templates, goal.intent) ? templates[goal.intent] : undefined;
  if (template === undefined) throw new Fault('planner_failed', `there is no plan template for ${goal.intent}`);
  const form: Form = { inputs, missing: new Set(), places: [] };
  const plan = fill(form, template as unknown as Json, '');
  if (form.missing.size > 0) return { proposal: askFor([...form.missing]) };
  return { proposal: plan, filled: perStep(template, form.places) };
}

/** Asks the user for all missing inputs at once. */
function askFor(fields: readonly string[]): Proposal {
  return { kind: 'clarification_request', question: `The plan needs ${fields.join(', ')}.`, fields };
}

interface Form {
  readonly inputs: JsonObject;
  readonly missing: Set<string>;
  /** JSON Pointers into the plan, each with the input that fills it. */
  readonly places: (readonly [pointer: string, input: string])[];
}

function fill(form: Form, value: Json, pointer: string): Json {
  if (typeof value !== 'object' || value === null) return value;
  if (isJsonList(value)) return value.map((item, at) => fill(form, item, `${pointer}/${at}`));
  const slot = value['$slot'];
  if (typeof slot !== 'string') {
    const filled = Object.entries(value).map(
      ([key, child]) => [key, fill(form, child, pointer + pointerToken(key))] as const,
    );
    return Object.fromEntries(filled);
  }
  const input = Object.hasOwn(form.inputs, slot) ? form.inputs[slot] : undefined;
  if (input !== undefined) {
    assertPlain(slot, input);
    form.places.push([pointer, slot]);
    return input;
  }
  if (!Name.safeParse(slot).success) throw new Fault('planner_failed', `"${slot}" is no name to ask for a value by`);
  form.missing.add(slot);
  return null;
}

/** The keys that make an object a binding, a draft or a slot. */
const PLAN_KEYS: readonly string[] = ['$from', '$draft', '$slot'];

/** Refuses an input with plan syntax in it, which would otherwise be interpreted as part of the plan. */
function assertPlain(slot: string, value: Json): void {
  const key = PLAN_KEYS.find((each) => holdsObject(value, (object) => Object.hasOwn(object, each)));
  if (key === undefined) return;
  throw new Fault('input_invalid', `the input ${printable(slot)} holds ${key}, which only a plan may say`);
}

const IN_PARAMS = /^\/steps\/(\d+)\/params((?:\/.*)?)$/su;

/** The filled slots by step id, which does not change when the plan is normalized. */
function perStep({ steps }: Plan, places: Form['places']): FilledSlots {
  const filled: Record<string, Record<string, string>> = {};
  for (const [place, input] of places) {
    const [, index, pointer] = IN_PARAMS.exec(place) ?? [];
    const id = steps[Number(index)]?.id;
    if (id !== undefined && pointer !== undefined) filled[id] = { ...filled[id], [pointer]: input };
  }
  return filled;
}

/** The planners for the rungs of the autonomy ladder. */
export interface LadderPlanners {
  /** Plans written by the host, for the rungs on which no model chooses the path. */
  readonly written: PlanTemplates;
  /** Plans the complete task, e.g. `planFirst`. */
  readonly complete: Planner;
  /** Decides one step at a time, e.g. `reactive`. */
  readonly stepwise: Planner;
}

/** Creates one planner for every rung. The run's graph selects the planner; nothing else about the agent changes. */
export function ladderPlanner(planners: LadderPlanners): Planner {
  assertPlanners(planners);
  const { written, complete, stepwise } = planners;
  const host = templatePlanner(written);
  const { stepsMax } = stepwise;
  return {
    written,
    cost: higherCost(complete.cost ?? NO_COST, stepwise.cost ?? NO_COST),
    tools: [...new Set([...(complete.tools ?? []), ...(stepwise.tools ?? [])])],
    uses: [...(complete.uses ?? []), ...(stepwise.uses ?? [])],
    ...(stepsMax === undefined ? {} : { stepsMax }),
    propose: (request, signal, client, check, pad) => {
      const chosen = request.from === 'host' ? host : request.mode === 'stepwise' ? stepwise : complete;
      return chosen.propose(request, signal, client, check, pad);
    },
  };
}

function assertPlanners({ complete, stepwise }: LadderPlanners): void {
  for (const [name, planner, such] of [
    ['complete', complete, 'planFirst({ model })'],
    ['stepwise', stepwise, 'reactive({ model })'],
  ] as const) {
    if (typeof planner?.propose === 'function') continue;
    throw new Fault('input_missing', `ladderPlanner: ${name} is a planner, such as ${such}`, { path: `/${name}` });
  }
}
